#!/usr/bin/env bash
# with_pytorch.sh SCRIPT.py ARGUMENTS...: runs a test with a Python that has PyTorch, and lets kgrade use the same one.
# with_pytorch.sh PROGRAM ARGUMENTS...: runs a program that only hands it on to kgrade.
set -euo pipefail
KGRADE_PYTHON=$("$(dirname "${BASH_SOURCE[0]}")/../../../tools/pytorch.sh")
export KGRADE_PYTHON
case $1 in
  *.py) exec "$KGRADE_PYTHON" "$@" ;;
  *) exec "$@" ;;
esac
