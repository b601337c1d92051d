#!/bin/sh
# Runs a compiler, through ccache where there is one. Paths are hashed relative to the checkout, so
# that another checkout finds what this one compiled; installing ccache later rebuilds nothing.
command -v ccache > /dev/null || exec "$@"
CCACHE_BASEDIR=$(cd "$(dirname "$0")/.." && pwd)
CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_DEPEND CCACHE_SLOPPINESS
exec ccache "$@"
