#!/usr/bin/env python3
"""Checks that each file of ours includes the standard headers that it uses, and that no header
pulls in a heavy one. The precompiled headers hide both from the compiler.

Usage: check_includes.py [ROOT]. Prints one line per finding; exit code 1 if there is any.
A file may leave a header to one of ours that it includes, directly or not.
"""
import functools
import pathlib
import re
import sys

FOLDERS = ["src", "include", "apps", "tests"]

# Headers that cost every file that gets them much, and where they may be had from a header.
# <functional> is fine where a std::function is declared: there it is the interface.
HEAVY = {
    "algorithm": r"src/backends/cpu/|tests/support/",  # templates of kernels
    "iostream": None,
    "sstream": None,
    "iomanip": None,
    "fstream": None,
    "regex": None,
    "random": None,
    "nlohmann/json.hpp": r"tests/support/",
    "CLI/CLI.hpp": None,
    "dnnl.hpp": r"src/backends/cpu/",
    "hwy/highway.h": r"src/backends/cpu/",
}

# What a name of std needs; of several headers any will do.
NEEDS = {
    "algorithm": "sort stable_sort max_element min_element any_of all_of none_of find_if copy_n "
                 "fill_n transform lower_bound upper_bound clamp count_if equal ranges",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_cast countl_zero countr_zero popcount",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "isfinite isnan sqrt exp pow log floor ceil lround nearbyint erf tanh",
    "cstring": "memcpy memcmp memset strlen",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function",
    "iomanip": "setw setprecision setfill",
    "iostream": "cout cerr cin",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock",
    "numeric": "accumulate iota inner_product",
    "optional": "optional nullopt",
    "random": "mt19937 mt19937_64 random_device",
    "set": "set",
    "span": "span",
    "sstream": "ostringstream istringstream stringstream",
    "string": "string to_string getline",
    "string_view": "string_view",
    "thread": "thread",
    "unordered_map": "unordered_map",
    "utility": "pair move exchange swap forward",
    "variant": "variant visit get_if holds_alternative monostate",
    "vector": "vector",
}
# Headers whose contents the standard, or g++ and clang alike, give with another one.
GIVEN_BY = {
    "string_view": {"string"},
    "utility": {"map", "memory", "string", "vector", "array", "algorithm", "optional", "span",
                "unordered_map", "set", "variant", "functional", "string_view", "thread", "atomic",
                "filesystem", "iostream", "sstream", "stdexcept", "deque"},
    "string": {"stdexcept", "sstream", "iostream", "fstream", "filesystem"},
    "array": {"span", "tuple", "functional"},
    "span": {"nlohmann/json.hpp"},
    "cmath": {"random", "hwy/highway.h", "nlohmann/json.hpp"},
    "map": {"nlohmann/json.hpp"},
    "vector": {"nlohmann/json.hpp", "dnnl.hpp", "functional", "CLI/CLI.hpp"},
    "iostream": {"CLI/CLI.hpp"},
}
HEADER_OF = {name: header for header, names in NEEDS.items() for name in names.split()}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
COMMENT = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"")
NAME = re.compile(r"\bstd::(\w+)")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parents[1]
    places = [root / "src", root / "include", root / "tests"]

    @functools.cache
    def own(path):
        """(standard and foreign headers, headers of ours) that a file includes itself."""
        found = INCLUDE.findall(path.read_text())
        ours = [next((p / name for p in [path.parent, *places] if (p / name).is_file()), None)
                for quote, name in found if quote == '"']
        return {name for quote, name in found if quote == "<"}, [p for p in ours if p]

    @functools.cache
    def reached(path):
        """Every header that a file gets, as name -> the file of ours that includes it."""
        found, todo, seen = {}, [path], set()
        while todo:
            file = todo.pop()
            if file not in seen:
                seen.add(file)
                names, ours = own(file)
                for name in names:
                    found.setdefault(name, file)
                todo += ours
        return found

    def faults():
        for file in sorted(f for folder in FOLDERS for f in (root / folder).rglob("*.[hc]*")):
            if file.suffix not in {".h", ".cpp"}:
                continue
            path, has = file.relative_to(root).as_posix(), reached(file)
            for name in sorted(set(NAME.findall(COMMENT.sub("", file.read_text())))):
                header = HEADER_OF.get(name)
                if header and header not in has and not GIVEN_BY.get(header, set()) & has.keys():
                    yield f"{path}: uses std::{name} without <{header}>"
            if file.suffix == ".h":
                for header, allowed in HEAVY.items():
                    if header in own(file)[0] and not (allowed and re.match(allowed, path)):
                        yield f"{path}: <{header}> is heavy; it belongs in a .cpp"
                if "functional" in own(file)[0] and "std::function<" not in file.read_text():
                    yield f"{path}: <functional> is heavy, and no std::function is declared"

    found = list(faults())
    print("\n".join(found) if found else "includes: each file has what it uses, no header is heavy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
