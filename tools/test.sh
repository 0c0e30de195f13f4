#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests that every change must pass: minutes on two cores.
#   tools/test.sh --all              installs what the optional tests need, runs all tests, then those of every change once
#                                    more as in a container without namespaces, then fuzzes each target for a minute; run
#                                    it before calling an issue done and before a release
# Other arguments go to ctest:
#   tools/test.sh --quick            half a minute of unit tests, and builds only them
#   tools/test.sh -R Expression      only the tests whose names match; with --all -R Expression, also the slow ones
#   tools/test.sh -LE pypi           without the tests that need packages from PyPI
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${1:-}" = --quick ]; then
  shift
  tools/setup.sh --tests
  cmake --preset release -DBUILD_TESTING=ON
  cmake --build --preset release --parallel "$(nproc)" --target quick_tests
  exec ctest --preset release --parallel "$(nproc)" --no-tests=error -L quick "$@"
fi
all=false
if [ "${1:-}" = --all ]; then
  all=true
  shift
fi
if $all; then
  export KGRADE_ALL=1  # every problem, where a test draws some (tools/drawn_problems.py)
  tools/setup.sh --all-tests
else
  # With several -LE, ctest leaves out only tests that match all of them. One expression matches any.
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
# If tests are named, only they run; nothing runs a second time, and nothing is fuzzed.
if $all && [ $# -eq 0 ]; then
  # As in a container that allows no namespaces, where the sandbox does not confine and nothing built is kept.
  env --unset=KGRADE_ALL tools/without_namespaces.py ctest --preset release --parallel "$(nproc)" -LE '^slow$'
  tools/setup.sh --fuzz
  tools/fuzz.sh --sanitized
  tools/fuzz.sh --each 60
fi
