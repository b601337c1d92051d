# Sourced by test.sh: how its stages build, run, and remember what passed.
logs=build/logs passed=build/passed

# build PRESET FOLDER [TARGET...]: a line for each tenth of the way.
build() {
  local preset=$1 folder=$2
  shift 2
  cmake --preset "$preset" --log-level=WARNING > /dev/null
  ninja -C "$folder" "$@" 2>&1 | awk '
    match($0, /^\[[0-9]+\/[0-9]+\] /) {
      split(substr($0, 2, RLENGTH - 3), n, "/")
      tenth = int(10 * n[1] / n[2])
      if (tenth > last) { printf "   %d of %d\n", n[1], n[2]; fflush(); last = tenth }
      next
    }
    !/Entering directory/'
}

# once NAME INPUT... -- COMMAND...: runs a test unless it passed with the same inputs, command,
# settings and processor; counts what it says that it passed, this time or then.
once() {
  local name=$1 inputs=() key
  shift
  while [ "$1" != -- ]; do
    inputs+=("$1")
    shift
  done
  shift
  key=$({
    find "${inputs[@]}" -type f -print0 | sort -z | xargs -0 sha256sum
    echo "$*" "${TINTYPE_ISA-}" "${ASAN_OPTIONS-}" "${FUZZ_SECONDS-}"
    grep -m1 ^flags /proc/cpuinfo
  } | sha256sum)
  if [ -z "${again-}" ] && [ "$key" = "$(cat "$passed/$name" 2> /dev/null)" ]; then
    echo "   $name: unchanged since it passed: $(count < "$logs/$name" | tr '\n' ' ')"
  else
    rm -f "$passed/$name"
    if ! "$@" > "$logs/$name" 2>&1; then
      grep -vE '^(\[ +(OK|RUN)|ok - )' "$logs/$name" >&2
      echo "test.sh: $name failed: $*" >&2
      return 1
    fi
    echo "   $name: $(count < "$logs/$name" | tr '\n' ' ')"
    echo "$key" > "$passed/$name"
  fi
  count < "$logs/$name" >> $logs/counts
}

# What a log says was passed and skipped: GoogleTest's summary, or a script's lines of "ok".
count() {
  awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
       /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
       /^ok - / { passed += 1 }
       /^Done [0-9]+ runs/ { print "runs " $2 }
       END { if (passed) print "passed " passed; if (skipped) print "skipped " skipped }'
}

# run_tests FOLDER LABEL AREA...: the test programs of a build.
run_tests() {
  local folder=$1 label=$2 area
  shift 2
  for area in "$@"; do
    once "$label-$area" "$folder/tests/${area}_test" tests/golden assets -- \
      "$folder/tests/${area}_test" --gtest_brief=1
  done
}

# fuzz NAME: what stops it is kept beside its corpus.
fuzz() {
  mkdir -p "build/fuzz/$1"
  once "fuzz-$1" "build/asan/tests/$1" -- "build/asan/tests/$1" -max_total_time="$FUZZ_SECONDS" \
    -rss_limit_mb=2048 -timeout=10 -artifact_prefix="build/fuzz/$1-" "build/fuzz/$1"
}
