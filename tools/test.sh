#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests that every change has to pass: minutes on two cores.
#   tools/test.sh --all              all tests, with what they are skipped without, then a minute of fuzzing each target
# Other arguments go to ctest:
#   tools/test.sh -R Expression      of these the tests whose names match; tools/test.sh --all -R Expression, of all
#   tools/test.sh -LE pypi           without those that need packages from PyPI
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=false
if [ "${1:-}" = --all ]; then
  all=true
  shift
fi
if $all; then
  tools/setup.sh --all-tests
else
  # ctest leaves out what all of several -LE match: one expression says it of any.
  arguments=() left_out='^slow$'
  while [ $# -gt 0 ]; do
    case "$1" in
      -LE | --label-exclude)
        left_out="$left_out|${2:?$1 needs an expression}"
        shift
        ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  set -- -LE "$left_out" "${arguments[@]}"
fi
tools/build.sh --tests
ctest --preset release --parallel "$(nproc)" --no-tests=error "$@"
# Named tests are wanted alone.
if $all && [ $# -eq 0 ]; then
  tools/setup.sh --fuzz
  tools/fuzz.sh --sanitized
  tools/fuzz.sh --each 60
fi
