#!/usr/bin/env bash
# Prints the Debian packages of the shared libraries that programs load, by their names in this distribution.
#   tools/runtime_packages.sh PROGRAM...
set -euo pipefail

# The package database may list a file under /lib, from before /lib became a link into /usr.
ldd "$@" | awk '$3 ~ "^/" {print $3}' | sort -u | xargs -n 1 realpath | sed 's|^/usr||; s|^|*|' |
  xargs dpkg-query --search | sed 's/:.*//' | sort -u
