#!/usr/bin/env bash
# Runs a class of environments_test.py with a Python that has its framework, and makes that first:
# environments_test.sh KGRADE GROUP CLASS, for a group of tools/trainers.sh. Without the framework, the exit code is 77.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../../../tools/trainers.sh" --install "$2")
exec "$python" "$here/environments_test.py" "$1" "$3"
