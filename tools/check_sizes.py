#!/usr/bin/env python3
"""Checks the sizes of files, functions and lines, and prints their distribution.

Usage: check_sizes.py [--longest N]. Needs universal-ctags. Exit code 1 if something is too large.
Files named *_table.inc are generated tables and aren't counted. tools/size_exemptions.txt may list
exceptions, one "PATH" or "PATH:FUNCTION" a line.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ["src", "include", "apps"]
ALL = [*SOURCES, "tests", "tools"]
COLUMNS = 100
HEADER_SHARE = 30  # per cent of the lines of SOURCES
FILE_LIMITS = [  # the first pattern that fits
    (r"src/models/(?!families).*\.cpp", 400, "a model family"),
    (r".*\.h", 350, "a header"),
    (r".*", 600, "a file"),
]
FUNCTION_LIMITS = [(r"src/backends/", 150, "a kernel"), (r"", 80, "a function")]


def limit_for(table, path):
    return next((limit, what) for pattern, limit, what in table if re.match(pattern, path))


def read_lines():
    files = {}
    for folder in ALL:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".h", ".cpp", ".cu", ".py"}:
                files[file.relative_to(ROOT).as_posix()] = file.read_text().splitlines()
    return files


def read_functions(paths):
    """(lines, name, path, first line) of every function definition."""
    command = ["ctags", "--fields=+neK", "--kinds-C++=f", "--kinds-Python=fm", "--map-C++=+.cu",
               "-L", "-", "-o", "-"]
    tags = subprocess.run(command, input="\n".join(paths), cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout
    found = re.findall(r"^([^!\t]\S*)\t(\S+)\t.*\tline:(\d+)\b.*\tend:(\d+)", tags, re.M)
    return [(int(end) - int(begin) + 1, name, path, int(begin)) for name, path, begin, end in found]


def faults(files, functions, exempt):
    for path, lines in files.items():
        limit, what = limit_for(FILE_LIMITS, path)
        if len(lines) > limit and path not in exempt:
            yield f"{path}: has {len(lines)} lines; {what} may have {limit}"
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                yield f"{path}:{number}: has {len(line)} columns; {COLUMNS} is the limit"
    for size, name, path, line in functions:
        limit, what = limit_for(FUNCTION_LIMITS, path)
        if size > limit and f"{path}:{name}" not in exempt:
            yield f"{path}:{line}: {name} has {size} lines; {what} may have {limit}"
    share = header_share(files)
    if share > HEADER_SHARE:
        yield f"headers are {share:.0f} % of the lines; {HEADER_SHARE} % is the limit"


def header_share(files):
    sizes = {p: len(lines) for p, lines in files.items() if p.split("/")[0] in SOURCES}
    headers = sum(size for path, size in sizes.items() if path.endswith(".h"))
    return 100 * headers / max(1, sum(sizes.values()))


def report(name, sizes):
    if len(sizes) > 1:
        p95 = statistics.quantiles(sizes, n=20, method="inclusive")[-1]
        print(f"{name}: {len(sizes)}, median {statistics.median(sizes):.0f}, "
              f"95th percentile {p95:.0f}, largest {max(sizes)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--longest", type=int, default=0, help="also list the N longest of each")
    longest = parser.parse_args().longest

    files = read_lines()
    functions = read_functions(list(files))
    listed = (ROOT / "tools" / "size_exemptions.txt").read_text().splitlines()
    exempt = {line for line in listed if line and not line.startswith("#")}

    ours = lambda path: path.split("/")[0] in SOURCES
    report("source files", [len(lines) for path, lines in files.items() if ours(path)])
    report("functions", [size for size, _, path, _ in functions if ours(path)])
    print(f"headers: {header_share(files):.0f} % of the lines; exemptions: {len(exempt)}")
    for size, path in sorted(((len(l), p) for p, l in files.items()), reverse=True)[:longest]:
        print(f"  {size:5} {path}")
    for size, name, path, line in sorted(functions, reverse=True)[:longest]:
        print(f"  {size:5} {name} {path}:{line}")

    found = list(faults(files, functions, exempt))
    print("\n".join(found) if found else "sizes: all within the limits")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
