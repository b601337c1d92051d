#!/usr/bin/env bash
# Checks everything, in this order; the first failure ends it.
#
# Usage: ./test.sh [STAGE...]     only these stages
#   packages   what the build and the checks need, installed if missing
#   format     clang-format
#   layers     includes point down
#   sizes      files, functions, lines
#   build      with warnings as errors
#   tidy       clang-tidy
#   unit       all tests, at each SIMD level that this machine has
#   e2e        the program, as a user runs it
#   asan       address and undefined-behaviour sanitizers
#   tsan       thread sanitizer, on the suites that run threads
#   fuzz       every fuzz target for FUZZ_SECONDS (20)
set -euo pipefail
cd "$(dirname "$0")"
logs=build/logs
mkdir -p $logs
: > $logs/counts

run_packages() { tools/install_packages.sh build test; }

run_format() {
  find src include apps tests \( -name '*.h' -o -name '*.cpp' \) -print0 |
    xargs -0 clang-format-14 --dry-run --Werror
}

run_layers() { python3 tools/check_layers.py; }

run_sizes() { python3 tools/check_sizes.py; }

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" --log-level=WARNING > /dev/null
  ninja -C "build/$preset" --quiet "$@"
}

run_build() { build dev; }

run_tidy() { python3 tools/check_tidy.py build/dev; }

# ctest_in PRESET [OPTION...]: runs and counts the test programs of a build.
ctest_in() {
  local folder=build/$1 log
  shift
  log=$(mktemp "$logs/ctest.XXXX")
  if ! ctest --test-dir "$folder" --verbose "$@" > "$log"; then
    grep -vE '^[0-9]+: \[ +(OK|RUN)' "$log" >&2
    return 1
  fi
  sed -nE 's/^[0-9]+: \[  PASSED  \] ([0-9]+) tests?\..*/passed \1/p;
           s/^[0-9]+: \[  SKIPPED \] ([0-9]+) tests?, .*/skipped \1/p' "$log" |
    tee -a $logs/counts |
    awk '{n[$1] += $2} END {printf "%d tests passed, %d skipped\n", n["passed"], n["skipped"]}'
}

isa_levels() {
  echo avx2
  if grep -qw avx512bw /proc/cpuinfo; then echo avx512; fi
}

run_unit() {
  local isa
  for isa in $(isa_levels); do
    printf '%s: ' "$isa"
    TINTYPE_ISA=$isa ctest_in dev
  done
}

# Every script prints a line "ok - WHAT" per check and stops at the first failure.
run_e2e() {
  local script
  for script in tests/e2e/*.sh; do
    [ -e "$script" ] || continue
    TINTYPE=$PWD/build/dev/tintype bash "$script" | tee -a $logs/e2e
  done
  echo "passed $(grep -c '^ok' $logs/e2e 2> /dev/null || true)" >> $logs/counts
}

run_asan() {
  build asan
  # Bus errors are ours to handle: a test makes one on purpose. libomp keeps its threads' memory.
  echo leak:libomp > $logs/lsan
  LSAN_OPTIONS=suppressions=$PWD/$logs/lsan ASAN_OPTIONS=handle_sigbus=0 UBSAN_OPTIONS=print_stacktrace=1 ctest_in asan
}

run_fuzz() {
  build asan
  local source name
  for source in tests/fuzz/*_fuzz.cpp; do
    name=$(basename "$source" .cpp)
    mkdir -p "build/fuzz/$name"  # what it finds interesting, for the next run
    if ! "build/asan/tests/$name" -max_total_time="${FUZZ_SECONDS-20}" -rss_limit_mb=2048 \
      -timeout=10 -artifact_prefix="build/fuzz/$name-" "build/fuzz/$name" > "$logs/$name" 2>&1; then
      tail -n 40 "$logs/$name" >&2
      return 1
    fi
    echo "$name: $(grep -oE '^Done [0-9]+ runs' "$logs/$name")"
  done
}

# libdnnl isn't built for this sanitizer, so it looks at our code only; Archer, a part of LLVM's
# OpenMP, tells it where threads wait for each other.
run_tsan() {
  build tsan base_test graph_test backends_test
  TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_NUM_THREADS=2 \
    OMP_TOOL_LIBRARIES=/usr/lib/llvm-14/lib/libarcher.so ctest_in tsan -R '^(base|graph|backends)$'
}

rm -f $logs/e2e $logs/ctest.*
started=$SECONDS
[ $# -gt 0 ] || set -- packages format layers sizes build tidy unit e2e asan tsan fuzz
for stage in "$@"; do
  echo "== $stage"
  begin=$SECONDS
  "run_$stage"
  echo "   $((SECONDS - begin)) s"
done

read -r passed skipped < <(
  awk '{n[$1] += $2} END {print n["passed"] + 0, n["skipped"] + 0}' $logs/counts)
echo "tests: $passed passed, 0 failed, $skipped skipped"
echo "tintype: all $passed tests passed in $((SECONDS - started)) s"
