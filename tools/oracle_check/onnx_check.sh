#!/usr/bin/env bash
# Runs onnx_check.py in the virtual environment of the tests, and creates that if it is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../test_python.sh")
exec "$python" "$here/onnx_check.py" "$@"
