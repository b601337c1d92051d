#!/usr/bin/env python3
"""Prints what the stages of test.sh cost, and which files and headers the compiler's time goes to.

Usage: profile_build.py STAGES, a file of lines "STAGE SECONDS". Files are taken from the logs of
Ninja in build/*; headers from clang's -ftime-trace over all sources, without precompiled headers:
what each costs where nothing hides it, with all that it includes. Takes minutes.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILDS = {"g++": ROOT / "build", "asan": ROOT / "build/asan", "tsan": ROOT / "build/tsan"}
LISTED = 20


def compile_seconds(build):
    """Object file -> seconds of its last compilation."""
    log = build / ".ninja_log"
    rows = [line.split("\t") for line in log.read_text().splitlines()[1:]] if log.exists() else []
    return {row[3]: (int(row[1]) - int(row[0])) / 1000 for row in rows if row[3].endswith(".o")}


def trace(entry, folder, number):
    """(header, seconds with all that it includes) of one source file."""
    words = shlex.split(entry["command"])
    kept = [w for w in words if w.startswith(("-I", "-D", "-std=", "-fopenmp"))]
    kept += [w for i, word in enumerate(words[:-1]) if word == "-isystem"
             for w in ("-isystem", words[i + 1])]
    out = folder / f"{number}.s"
    subprocess.run(["clang++-14", *kept, "-w", "-ftime-trace", "-S", entry["file"], "-o", str(out)],
                   check=True)
    events = json.loads(out.with_suffix(".json").read_text())["traceEvents"]
    out.unlink()
    return [(e["args"]["detail"], e["dur"] / 1e6) for e in events if e["name"] == "Source"]


def header_seconds():
    """Header -> (seconds over all files, number of files)."""
    entries = json.loads((ROOT / "build/compile_commands.json").read_text())
    entries = [e for e in entries if not e["file"].startswith(str(ROOT / "build"))]
    total, files = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            place = pathlib.Path(folder)
            for found in pool.map(trace, entries, [place] * len(entries), range(len(entries))):
                for header, seconds in found:
                    total[header] += seconds
                    files[header] += 1
    return {header: (seconds, files[header]) for header, seconds in total.items()}


def main():
    print("\nstage        seconds")
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        stage, seconds = line.split()
        print(f"{stage:12} {seconds:>7}")
    for name, build in BUILDS.items():
        cost = compile_seconds(build)
        print(f"\n{name}: {len(cost)} files, {sum(cost.values()):.0f} s of one core; the dearest:")
        for path, seconds in sorted(cost.items(), key=lambda item: -item[1])[:LISTED]:
            print(f"  {seconds:6.1f}  {path}")
    print("\nheaders, each with all that it includes: seconds of one core, files")
    for header, (seconds, files) in sorted(header_seconds().items(),
                                           key=lambda item: -item[1][0])[:LISTED]:
        name = header.removeprefix(str(ROOT) + "/")
        print(f"  {seconds:6.1f}  {files:4}  {name}")


if __name__ == "__main__":
    main()
