#!/usr/bin/env python3
"""Checks that includes point down: each folder of src/ may include only the layers below it.

Usage: check_layers.py [ROOT]. Prints one line per forbidden include; exit code 1 if there is any.
"""
import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).resolve().parents[1] / "cmake" / "layers.txt"


def read_table():
    """Layer -> what it may include, from cmake/layers.txt."""
    lines = [line for line in TABLE.read_text().splitlines() if line and line[0] != "#"]
    return {name: below.split() for name, below in (line.split(":") for line in lines)}


ALLOWED = read_table()

# Where other people's headers and the operating system's may be included, and in no other place;
# in .cpp files only, so that nobody who includes ours gets them as well.
OUTSIDE = {
    r"omp\.h": "base/",
    r"(unistd|fcntl|sched|signal)\.h|csignal|sys/.*": "base/os_",
    r"dnnl.*|oneapi/.*": "backends/cpu/",
    r"hwy/.*": "backends/cpu/",
    r"nlohmann/.*": "",
    r"CLI/.*": "commands/",
    r"png\.h": "image/",
    r"utf8proc\.h|pcre2\.h": "text/",
}
# Highway's kernels are compiled once per instruction set, from headers made for that.
HEADERS_OF_KERNELS = "backends/cpu/"

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def closure(layer):
    """All layers that `layer` may include, itself too."""
    found, todo = set(), [layer]
    while todo:
        top = todo.pop()
        if top not in found:
            found.add(top)
            todo += ALLOWED[top]
    return found


def layer_of(path):
    """The layer that holds a file, given its path below src/; None if there is none."""
    parts = path.split("/")
    return next((name for name in ("/".join(parts[:2]), parts[0]) if name in ALLOWED), None)


def fault_of_ours(layer, include):
    if include.startswith("tintype/"):  # public value types
        return None
    target = layer_of(include)
    if target is None:
        return f'"{include}" is in no layer that cmake/layers.txt lists'
    if target not in closure(layer):
        below = ", ".join(sorted(closure(layer) - {layer})) or "nothing"
        return f'{layer} must not include {target} ("{include}"); below it are: {below}'
    return None


def fault_of_others(path, include):
    for pattern, place in OUTSIDE.items():
        if not re.fullmatch(pattern, include):
            continue
        if not path.startswith(place):
            return f"<{include}> belongs in src/{place}* only"
        if path.endswith(".h") and not path.startswith(HEADERS_OF_KERNELS):
            return f"<{include}> belongs in a .cpp, behind a header of ours"
    return None


def faults(root):
    src = root / "src"
    for file in sorted([*src.rglob("*.h"), *src.rglob("*.cpp")]):
        path = file.relative_to(src).as_posix()
        layer = layer_of(path)
        if layer is None:
            yield f"src/{path}:1: is in no layer that cmake/layers.txt lists"
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if match := INCLUDE.match(line):
                quote, include = match.groups()
                if quote == '"':
                    fault = fault_of_ours(layer, include)
                else:
                    fault = fault_of_others(path, include)
                if fault:
                    yield f"src/{path}:{number}: {fault}"
    for file in sorted((root / "include").rglob("*.h")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1] == '"' and not match[2].startswith("tintype/"):
                where = f"{file.relative_to(root)}:{number}"
                yield f"{where}: a public header must not include {match[2]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    found = list(faults(root if root.is_dir() else root.parents[1]))
    print("\n".join(found) if found else "layers: all includes point down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
