# Sourced by the scripts beside it: finds the program, and reports checks.
#
# The program is $TINTYPE, or BUILD_DIR/tintype with the script's argument BUILD_DIR.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tintype=$(realpath "${TINTYPE:-${1:-$repository/build}/tintype}")
export TINTYPE_ASSETS=$repository/assets
nano=$TINTYPE_ASSETS/nano

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

ok() { echo "ok - $*"; }

fail() {
  echo "not ok - $*" >&2
  exit 1
}

# expect CODE TEXT COMMAND...: the command ends with that exit code, and says that on standard
# error, in a sentence of the program. An empty TEXT means that nothing is checked.
expect() {
  local code=$1 text=$2 got=0
  shift 2
  "$@" > stdout 2> stderr < /dev/null || got=$?
  if [ "$got" -ne "$code" ] || [[ $(< stderr) != *"$text"* ]]; then
    cat stdout stderr >&2
    fail "$* ended with $got, expected $code and: $text"
  fi
  if [ "$code" -ne 0 ] && ! grep -q '^tintype: ' stderr; then
    cat stderr >&2
    fail "$* did not end with a sentence of the program"
  fi
  ok "$(basename "$1") ${*:2} -> $code ${text:+\"$text\"}"
}

# A picture of the small model in no time.
quick=(generate -p "a red star" --seed 1 --steps 2 --quiet)
