#!/usr/bin/env bash
# Prints the path of a Python interpreter with PyTorch 2, for the tests of candidates in Python, which have the label
# `pytorch`: $KGRADE_PYTHON, python3, or the one in build/pytorch. Without any, the exit code is 77.
#   tools/pytorch.sh --install   makes build/pytorch first (PyTorch and Triton from PyPI, 6 GB) unless one is there
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/pytorch

has_pytorch() { "$1" -c 'import sys, importlib.metadata as m; sys.exit(int(m.version("torch").split(".")[0]) < 2)' 2>/dev/null; }

print_one() {
  local candidate
  for candidate in ${KGRADE_PYTHON:+"$KGRADE_PYTHON"} python3 "$venv/bin/python"; do
    if has_pytorch "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

make_venv() {
  local python log=$root/build/pytorch.log
  # The interpreter of the other tests' packages has venv.
  python=$("$root/tools/test_python.sh")
  if ! { "$python" -m venv --clear "$venv" &&
         "$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'torch>=2.6' numpy
       } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "error: PyTorch could not be installed into build/pytorch" >&2
    echo "  remedy: see build/pytorch.log; without a network, leave out the tests that need it: ctest -LE pytorch" >&2
    return 1
  fi
}

mkdir -p "$root/build"
exec 8>"$root/build/pytorch.lock"
flock 8
print_one && exit
if [ "${1:-}" = --install ]; then
  make_venv
  print_one && exit
fi
echo "no Python here has PyTorch 2; tools/pytorch.sh --install makes one" >&2
exit 77
