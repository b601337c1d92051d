#!/usr/bin/env python3
"""Runs clang-tidy on the sources of a configured build, on all cores; a clean file is remembered.

Usage: check_tidy.py BUILD_FOLDER. A file is looked at again when it, a header of ours that it
includes, its compile command or .clang-tidy changes. Exit code 1 if there is a finding.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIDY = "clang-tidy-14"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


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


def fingerprint(path, command):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(command.encode())
    for _, content in sorted(with_headers(path, {}).items()):
        digest.update(content)
    return digest.hexdigest()


def lint(path, build, marker):
    # The compile command is made for g++, and may have warning options that clang does not know.
    known = "--extra-arg=-Wno-unknown-warning-option"
    result = subprocess.run([TIDY, "--quiet", known, "-p", str(build), str(path)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if result.returncode == 0:
        marker.touch()
    return result.stdout if result.returncode else ""


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    clean = build / "tidy"
    clean.mkdir(exist_ok=True)
    jobs, known = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        if not any(path.is_relative_to(ROOT / folder) for folder in ("src", "apps")):
            continue
        marker = clean / fingerprint(path, entry["command"])
        if marker.exists():
            known += 1
        else:
            jobs.append((path, build, marker))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(lambda job: lint(*job), jobs) if text]
    print("".join(findings), end="")
    print(f"tidy: {len(jobs)} files read, {known} unchanged, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
