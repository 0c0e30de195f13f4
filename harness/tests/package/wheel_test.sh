#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment that is then moved, and uses it as a user would:
#   wheel_test.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
"$root/tools/wheel.sh" || { echo "tools/wheel.sh failed"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet "$root"/dist/kgrade-*.whl
# Nothing of the checkout or of this test's surroundings takes part.
unset KGRADE_PROGRAM KGRADE_PYTHON PYTHONPATH
export KGRADE_CACHE_DIR=$work/cache
environment/bin/kgrade --version
environment/bin/kgrade list | grep -q vector-addition
prefix=$(environment/bin/python -c 'import kgrade, pathlib; print(pathlib.Path(kgrade.program()).parents[1])')
cp "$prefix/share/kgrade/solutions/vector-addition/naive.cu" mine.cu
environment/bin/kgrade grade vector-addition mine.cu --device emulated --case tiny | tee graded
grep -q accepted graded
environment/bin/python - <<'PYTHON'
import kgrade

right = kgrade.grade("vector-addition", "mine.cu", device="emulated", cases=["tiny"])
assert right.accepted, right
wrong = kgrade.grade("vector-addition", open("mine.cu").read().replace("] + ", "] - "), name="wrong.cu",
                     device="emulated", cases=["tiny"])
assert wrong.verdict == "wrong_answer", wrong
PYTHON
# The program names no place outside its folder: all it needs is beside it.
if readelf -d "$prefix/bin/kgrade" "$prefix"/libexec/kgrade/kgrade-* | grep -E 'R(UN)?PATH' | grep -v 'ORIGIN'; then
  echo "a program of the wheel has a path of this machine"
  exit 1
fi
