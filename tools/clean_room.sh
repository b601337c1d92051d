#!/usr/bin/env bash
# Runs quickstart.sh on a fresh clone in a bare Debian 12, once as root and once as a user with
# sudo, and keeps the pictures in build/clean_room/. By hand, before a release: it takes minutes.
#
# Usage, as root, with debootstrap installed: tools/clean_room.sh
#   MIRROR   where Debian comes from (http://deb.debian.org/debian)
#   TMPDIR   a folder with 6 GB free (/tmp)
set -euo pipefail
cd "$(dirname "$0")/.."
mirror=${MIRROR-http://deb.debian.org/debian}
work=$(mktemp -d "${TMPDIR-/tmp}/tintype-clean-room.XXXXXX")
pictures=$PWD/build/clean_room
mkdir -p "$pictures"

if [ -n "$(git status --porcelain)" ]; then
  echo "clean room: the work tree has changes; only what is committed is tried"
fi

# Nothing may stay mounted when the folder is removed.
leave() {
  local mounted
  for mounted in "$work"/*/proc; do
    if mountpoint -q "$mounted"; then umount "$mounted"; fi
  done
  rm -rf "$work"
}
trap leave EXIT

in_room() {
  local room=$1
  shift
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    chroot "$room" "$@"
}

# open_room NAME: a copy of the bare system.
open_room() {
  cp -a "$work/bare" "$work/$1"
  mount -t proc proc "$work/$1/proc"
}

# paint ROOM FOLDER COMMAND...: quickstart in FOLDER, first and second run.
paint() {
  local room=$1 folder=$2 began picture
  shift 2
  began=$SECONDS
  in_room "$work/$room" "$@"
  echo "clean room: $room: first run took $((SECONDS - began)) s"
  time in_room "$work/$room" "$@"
  for picture in "$work/$room$folder"/*.png; do
    cp "$picture" "$pictures/$room-$(basename "$picture")"
  done
}

debootstrap --variant=minbase bookworm "$work/bare" "$mirror"
cp /etc/resolv.conf "$work/bare/etc/"

open_room root
git clone -q --no-local . "$work/root/tintype"
code=0
in_room "$work/root" /tintype/quickstart.sh --no-install || code=$?
[ $code = 2 ] || { echo "clean room: --no-install ended with $code, not 2"; exit 1; }
paint root /tintype /tintype/quickstart.sh

open_room user
in_room "$work/user" apt-get update -qq
in_room "$work/user" apt-get install -qq -y --no-install-recommends sudo
in_room "$work/user" useradd --create-home --shell /bin/bash painter
echo 'painter ALL=(ALL) NOPASSWD: ALL' > "$work/user/etc/sudoers.d/painter"
git clone -q --no-local . "$work/user/home/painter/tintype"
in_room "$work/user" chown -R painter /home/painter
paint user /home/painter/tintype su - painter -c tintype/quickstart.sh

echo "clean room: the pictures are in $pictures"
