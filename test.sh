#!/usr/bin/env bash
# Checks everything; the first failure ends it. What passed and has not changed is not run again.
#
# Usage: ./test.sh [--again] [--profile] [STAGE...]   only these stages, in this order:
#        ./test.sh quick [AREA...]                    what a change can touch: format to sizes, then
#                                                     build, tests and e2e; AREA: a folder of tests/
#   --again    runs what passed before as well
#   --profile  says at the end what each stage and file cost, and which headers (docs/testing.md)
#
#   packages   what the build and the checks need, installed if missing
#   format     clang-format
#   layers     includes point down
#   includes   each file has the headers it uses, no header of ours pulls in a heavy one
#   sizes      files, functions, lines
#   build      the program and its tests, with warnings as errors
#   tidy       clang-tidy
#   unit       all tests, at each SIMD level that this machine has
#   e2e        the program, as a user runs it
#   asan       address and undefined-behaviour sanitizers
#   tsan       thread sanitizer, on the suites that run threads
#   fuzz       every fuzz target for FUZZ_SECONDS (20)
set -euo pipefail
cd "$(dirname "$0")"
logs=build/logs passed=build/passed
mkdir -p $logs $passed
rm -f $logs/stages $logs/ctest.*
: > $logs/counts
source tools/stages.bash

run_packages() { tools/install_packages.sh build test; }

run_format() {
  find src include apps tests \( -name '*.h' -o -name '*.cpp' \) -print0 |
    xargs -0 clang-format-14 --dry-run --Werror
}

run_layers() { python3 tools/check_layers.py; }

run_includes() { python3 tools/check_includes.py; }

run_sizes() { python3 tools/check_sizes.py; }

run_build() { build dev build $targets; }

run_tidy() { python3 tools/check_tidy.py build; }

isa_levels() {
  echo avx2
  if grep -qw avx512bw /proc/cpuinfo; then echo avx512; fi
}

run_unit() {
  local isa
  for isa in $levels; do
    export TINTYPE_ISA=$isa
    run_tests build "$isa" $areas
  done
  unset TINTYPE_ISA
}

# Every script prints a line "ok - WHAT" per check and stops at the first failure.
run_e2e() {
  local script
  for script in tests/e2e/*.sh; do
    once "e2e-$(basename "$script" .sh)" build/tintype tests/e2e assets -- \
      env TINTYPE="$PWD/build/tintype" bash "$script"
  done
}

# A second compiler reads everything here, and what computes little is not optimised
# (TINTYPE_UNOPTIMIZED): the sanitizers want that anyway.
run_asan() {
  build asan build/asan
  # Bus errors are ours to handle: a test makes one on purpose. libomp keeps its threads' memory.
  echo leak:libomp > $logs/lsan
  LSAN_OPTIONS=suppressions=$PWD/$logs/lsan ASAN_OPTIONS=handle_sigbus=0 UBSAN_OPTIONS=print_stacktrace=1 \
    run_tests build/asan asan $areas
}

# libdnnl isn't built for this sanitizer, so it looks at our code only; Archer, a part of LLVM's
# OpenMP, tells it where threads wait for each other. Only what runs threads is compiled again.
run_tsan() {
  build tsan build/tsan base_test graph_test backends_test
  TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_NUM_THREADS=2 \
    OMP_TOOL_LIBRARIES=/usr/lib/llvm-14/lib/libarcher.so run_tests build/tsan tsan base graph backends
}

# What a target finds interesting stays for the next run. Each keeps one core busy.
run_fuzz() {
  build asan build/asan fuzzers
  local source
  for source in tests/fuzz/*_fuzz.cpp; do basename "$source" .cpp; done |
    FUZZ_SECONDS=${FUZZ_SECONDS-20} xargs -P "$(nproc)" -n 1 bash -c 'source tools/stages.bash && fuzz "$1"' bash
}

again= profile=
while [[ ${1-} == --* ]]; do
  case $1 in
    --again) again=yes ;;
    --profile) profile=yes ;;
    *)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
      [ "$1" = --help ] && exit 0 || exit 2
      ;;
  esac
  shift
done
areas=$(sed -nE 's/^tintype_test\((\w+).*/\1/p' tests/CMakeLists.txt)
targets=  # of the build: all
levels=$(isa_levels)
if [ "${1-}" = quick ]; then
  shift
  levels=$(isa_levels | tail -n 1)
  if [ $# -gt 0 ]; then
    areas=$*
    targets=$(printf '%s_test ' "$@")
    set -- build unit
  else
    set -- build unit e2e
  fi
  set -- format layers includes sizes "$@"
fi
[ $# -gt 0 ] || set -- packages format layers includes sizes build tidy unit e2e asan tsan fuzz

export again
started=$SECONDS
for stage in "$@"; do
  declare -F "run_$stage" > /dev/null || { echo "test.sh: there is no stage $stage" >&2; exit 2; }
  echo "== $stage"
  begin=$SECONDS
  "run_$stage"
  echo "   $((SECONDS - begin)) s"
  echo "$stage $((SECONDS - begin))" >> $logs/stages
done

[ -z "$profile" ] || python3 tools/profile_build.py $logs/stages
read -r good skipped < <(
  awk '{n[$1] += $2} END {print n["passed"] + 0, n["skipped"] + 0}' $logs/counts)
lines=$(find src include apps tests \( -name '*.h' -o -name '*.cpp' \) -exec cat {} + | wc -l)
echo "$lines lines: $(((SECONDS - started) * 10000 / lines / 10)).$(((SECONDS - started) * 10000 / lines % 10)) s per 1,000"
echo "tests: $good passed, 0 failed, $skipped skipped"
echo "tintype: all $good tests passed in $((SECONDS - started)) s"
