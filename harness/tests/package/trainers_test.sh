#!/usr/bin/env bash
# Runs trainers_test.py with a Python that has the trainers, and makes that first: trainers_test.sh KGRADE
# Without PyTorch, the exit code is 77.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../../../tools/trainers.sh" --install)
exec "$python" "$here/trainers_test.py" "$@"
