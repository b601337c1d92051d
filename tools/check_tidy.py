#!/usr/bin/env python3
"""Runs clang-tidy on src/ and apps/, several files in one go; a clean file is remembered.

Usage: check_tidy.py BUILD_FOLDER. Most of the time goes into the headers that the files share, so
files whose names do not clash are read as one. A file is read again when it, a header of ours that
it includes, its compile command or .clang-tidy changes. What is clean is remembered in
$XDG_CACHE_HOME/tintype/tidy, whatever the folder of the checkout. Exit code 1 after a finding.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
TIDY = "clang-tidy-14"
BATCH = 16  # files; more of them save little and keep a core waiting at the end
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

Job = collections.namedtuple("Job", "path flags marker names")


def with_headers(path, found):
    """Adds `path` and every file of ours that it includes, directly or not, to `found`."""
    if path not in found:
        found[path] = path.read_bytes()
        for name in INCLUDE.findall(found[path].decode()):
            for folder in (path.parent, ROOT / "src", ROOT / "include"):
                if (folder / name).is_file():
                    with_headers((folder / name).resolve(), found)
                    break
    return found


def flags_of(command):
    """What of a compile command says how to read a file; no precompiled header, which g++ made."""
    words = shlex.split(command)
    kept = [word for word in words if re.match(r"-(I|D|std=|isystem|fopenmp)", word)]
    for option in ("-isystem",):
        kept += [w for i, word in enumerate(words[:-1]) if word == option for w in [words[i + 1]]]
    return tuple(kept)


def fingerprint(path, flags):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(" ".join(flags).replace(str(ROOT), "").encode())
    for file, content in sorted(with_headers(path, {}).items()):
        digest.update(str(file.relative_to(ROOT)).encode() + content)
    return digest.hexdigest()


def names_by_file(paths):
    """path -> names that it defines outside of classes; two files with a common one stay apart."""
    tags = subprocess.run(["ctags", "--kinds-C++=fvcsegud", "--fields=-T", "-o", "-", "-L", "-"],
                          input="\n".join(map(str, paths)), capture_output=True, text=True,
                          check=True).stdout
    found = collections.defaultdict(set)
    for line in tags.splitlines():
        if not re.search(r"\t(class|struct|union|enum):", line):
            name, path = line.split("\t")[:2]
            found[pathlib.Path(path)].add(name)
    return found


def batches(jobs):
    """Lists of jobs that can be read as one file, the longest files first."""
    made = []  # (jobs, names)
    for job in sorted(jobs, key=lambda job: -job.path.stat().st_size):
        alone = b"foreach_target.h" in job.path.read_bytes()
        for batch, names in made:
            if (not alone and len(batch) < BATCH and batch[0].flags == job.flags
                    and not names & job.names):
                batch.append(job)
                names |= job.names
                break
        else:
            made.append(([job], set(job.names) | ({job.path} if alone else set())))
            if alone:
                made[-1][0][0] = job._replace(flags=job.flags + ("",))
    return [batch for batch, _ in made]


def read(source, flags):
    # The flags were made for g++, and may have options that clang does not know.
    command = [TIDY, "--quiet", str(source), "--", *filter(None, flags),
               "-Wno-unknown-warning-option"]
    result = subprocess.run(command, text=True, cwd=ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    return "" if result.returncode == 0 else result.stdout or f"{source}: {TIDY} failed\n"


def lint(batch, number, folder):
    """The findings of a batch. Where there is one, files are read alone to tell whose it is."""
    source = folder / f"batch_{number}.cpp"
    source.write_text("".join(f'#include "{job.path}"\n' for job in batch))
    if len(batch) > 1 and not read(source, batch[0].flags):
        findings = [""] * len(batch)
    else:
        findings = [read(job.path, job.flags) for job in batch]
    for job, text in zip(batch, findings):
        if not text:
            job.marker.touch()
    return len(batch), [text for text in findings if text]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    clean, folder = CACHE / "tintype" / "tidy", build / "tidy"
    for place in (clean, folder):
        place.mkdir(parents=True, exist_ok=True)
    entries = [(pathlib.Path(entry["file"]).resolve(), flags_of(entry["command"]))
               for entry in json.loads((build / "compile_commands.json").read_text())]
    entries = [(path, flags) for path, flags in entries
               if any(path.is_relative_to(ROOT / name) for name in ("src", "apps"))]
    names = names_by_file([path for path, _ in entries])
    jobs = [Job(path, flags, clean / fingerprint(path, flags), names[path])
            for path, flags in entries]
    todo = [job for job in jobs if not job.marker.exists()]

    findings, done = [], 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = [pool.submit(lint, batch, number, folder)
                for number, batch in enumerate(batches(todo))]
        for finished in concurrent.futures.as_completed(work):
            count, texts = finished.result()
            done += count
            findings += texts
            print("".join(texts) + f"tidy: {done} of {len(todo)} files read", flush=True)
    print(f"tidy: {len(todo)} files read, {len(jobs) - len(todo)} unchanged, "
          f"{len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
