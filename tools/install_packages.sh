#!/usr/bin/env bash
# Installs the packages of tools/packages.txt that are missing; never removes one.
#
# Usage: install_packages.sh [--no-install] SECTION...
#   --no-install   only lists what is missing; exit code 2 if there is something
set -euo pipefail
list=$(dirname "$0")/packages.txt

install=yes
if [ "${1-}" = --no-install ]; then
  install=no
  shift
fi

wanted=()
for section in "$@"; do
  mapfile -t -O ${#wanted[@]} wanted < <(
    awk -v section="[$section]" '/^\[/ {inside = $0 == section} inside && /^[a-z]/' "$list")
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "tintype: this system has no apt-get, so please install what these Debian packages hold" \
    "yourself: ${wanted[*]}" >&2
  exit 4
fi

present=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2> /dev/null |
  awk '$1 == "ii" {print $2}' || true)
mapfile -t missing < <(printf '%s\n' "${wanted[@]}" | grep -vxF -- "$present" || true)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ $install = no ]; then
  echo "tintype: these Debian packages are missing: ${missing[*]}" >&2
  exit 2
fi

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "tintype: these Debian packages are missing, and there is no sudo to install them:" \
      "as root, run: apt-get install ${missing[*]}" >&2
    exit 4
  fi
  as_root=(sudo)
fi
echo "tintype: installing the Debian packages ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-remove --no-install-recommends "${missing[@]}"
