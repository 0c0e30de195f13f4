#!/usr/bin/env bash
# Prints the path of a Python interpreter that has TRL, verl and OpenRLHF, for the tests of kgrade.adapters: the one in
# build/trainers, which has the PyTorch of tools/pytorch.sh. Without it, the exit code is 77.
#   tools/trainers.sh --install   makes build/trainers first, from PyPI, unless it is there (1 GB). Without PyTorch: 77
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/trainers
log=$root/build/trainers.log
requirements=$root/tools/trainers_requirements.txt
# These name versions of PyTorch, vLLM and DeepSpeed that need a GPU. What their loaders of reward functions import is
# among the requirements.
without_dependencies=(verl==0.9.1 openrlhf==0.11.2)

wanted() { cat "$requirements" && printf '%s\n' "${without_dependencies[@]}"; }

is_current() { cmp -s <(wanted) "$venv/installed" && "$venv/bin/python" -c 'import torch' 2>/dev/null; }

# PyTorch is 6 GB, so it is used where it is.
share_pytorch() {
  local packages
  packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$1" -c 'import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec("torch").origin).parents[1])' \
    >"$packages/pytorch.pth"
}

make_venv() {
  local each pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  "$1" -m venv --clear "$venv" && share_pytorch "$1" && "${pip[@]}" --requirement "$requirements" || return 1
  for each in "${without_dependencies[@]}"; do
    # There is not a wheel for every version of Python. The tests of what is missing are skipped.
    "${pip[@]}" --no-deps --only-binary :all: "$each" || echo "there is no $each for this Python"
  done
  wanted >"$venv/installed"
}

mkdir -p "$root/build"
exec 7>"$root/build/trainers.lock"
flock 7
if ! is_current; then
  if [ "${1:-}" != --install ]; then
    echo "there is no build/trainers; tools/trainers.sh --install makes it" >&2
    exit 77
  fi
  python=$("$root/tools/pytorch.sh")
  if ! make_venv "$python" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "error: the trainers could not be installed into build/trainers" >&2
    echo "  remedy: see build/trainers.log; without a network, leave out the tests that need them: ctest -LE pypi" >&2
    exit 1
  fi
fi
echo "$venv/bin/python"
