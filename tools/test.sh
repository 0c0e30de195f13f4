#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests. Arguments go to ctest:
#   tools/test.sh -R Expression      the tests whose names match
#   tools/test.sh -LE pypi           without those that need packages from PyPI
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/build.sh --tests
ctest --preset release --parallel "$(nproc)" --no-tests=error "$@"
