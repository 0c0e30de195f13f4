#!/usr/bin/env bash
# onnx_check.py in the virtual environment of the tests, which is made when it is not there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$("$here/../test_python.sh")
exec "$python" "$here/onnx_check.py" "$@"
