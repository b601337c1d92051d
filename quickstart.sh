#!/usr/bin/env bash
# Builds tintype and paints a picture with the model that it ships.
#
# Usage: ./quickstart.sh [--no-install] ["what to paint"]
#   --no-install   lists missing Debian packages instead of installing them; exit code 2
set -euo pipefail
cd "$(dirname "$0")"

install=()
if [ "${1-}" = --no-install ]; then
  install=(--no-install)
  shift
fi
prompt=${1-a large red heart on a white background}

# Folders count too: theirs is the change when a file is added or removed.
changed() {
  [ ! -e build/up-to-date ] ||
    [ -n "$(find src include apps cmake assets/vocab CMakeLists.txt CMakePresets.json \
      -newer build/up-to-date -print -quit)" ]
}

if changed; then
  tools/install_packages.sh "${install[@]}" build
  echo "tintype: building, which takes some minutes the first time"
  mkdir -p build
  touch build/started
  cmake --preset release --log-level=WARNING
  cmake --build --preset release
  mv build/started build/up-to-date
fi

build/tintype generate -p "$prompt" --seed 10

cat << 'NEXT'

Try next:
  build/tintype generate -p "a large green tree on a yellow background" --count 4
  build/tintype inspect assets/nano/nano_dit_convrot_int8.safetensors
NEXT
