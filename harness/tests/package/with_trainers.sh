#!/usr/bin/env bash
# with_trainers.sh GROUP SCRIPT.py ARGUMENTS...: runs a test with the Python of a group of tools/trainers.sh, and makes that
# first. Where it cannot be made, the exit code is 77.
set -euo pipefail
python=$("$(dirname "${BASH_SOURCE[0]}")/../../../tools/trainers.sh" --install "$1")
exec "$python" "${@:2}"
