#!/usr/bin/env bash
# Prints the path of a Python interpreter that has frameworks for the tests of kgrade.adapters. Without it, the exit code
# is 77. The frameworks disagree about versions of other packages, so there are three groups:
#   trainers    TRL, verl and OpenRLHF, in build/trainers, with the PyTorch of tools/pytorch.sh (1 GB)
#   verifiers   skyrl-gym and verifiers, in build/verifiers (0.7 GB)
#   openenv     OpenEnv and, from Python 3.12 on, Harbor, in build/openenv (0.7 GB)
#   tools/trainers.sh [--install] [GROUP]   --install makes the group's folder first, from PyPI, unless it is there.
#                                           The group trainers is the default. Without PyTorch, it ends with 77.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
install=false
if [ "${1:-}" = --install ]; then
  install=true
  shift
fi
group=${1:-trainers}
venv=$root/build/$group
log=$root/build/$group.log
requirements=$root/tools/${group}_requirements.txt
without_dependencies=()
case $group in
  trainers)
    # These name versions of PyTorch, vLLM and DeepSpeed that need a GPU. What their loaders of reward functions import
    # is among the requirements.
    without_dependencies=(verl==0.9.1 openrlhf==0.11.2)
    ;;
  verifiers | openenv) ;;
  *)
    echo "error: there is no group '$group'" >&2
    echo "  remedy: name trainers, verifiers or openenv" >&2
    exit 2
    ;;
esac

wanted() {
  cat "$requirements"
  [ ${#without_dependencies[@]} -eq 0 ] || printf '%s\n' "${without_dependencies[@]}"
}

is_current() {
  local module=sys
  [ "$group" != trainers ] || module=torch
  cmp -s <(wanted) "$venv/installed" && "$venv/bin/python" -c "import $module" 2>/dev/null
}

# Prints an interpreter for a new environment. Harbor needs Python 3.12, which may stand beside the distribution's.
base_python() {
  local candidate
  if [ "$group" = trainers ]; then
    "$root/tools/pytorch.sh"
    return
  fi
  for candidate in /usr/bin/python3 python3 python3.12 python3.13 \
    "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.1[23].*/bin/python3; do
    if "$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  "$root/tools/test_python.sh"
}

# PyTorch is 6 GB, so it is used where it is.
share_pytorch() {
  local packages
  packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$1" -c 'import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec("torch").origin).parents[1])' \
    >"$packages/pytorch.pth"
}

make_venv() {
  local each pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  "$1" -m venv --clear "$venv" || return 1
  if [ "$group" = trainers ]; then share_pytorch "$1" || return 1; fi
  "${pip[@]}" --requirement "$requirements" || return 1
  for each in "${without_dependencies[@]}"; do
    # There is not a wheel for every version of Python. The tests of what is missing are skipped.
    "${pip[@]}" --no-deps --only-binary :all: "$each" || echo "there is no $each for this Python"
  done
  wanted >"$venv/installed"
}

mkdir -p "$root/build"
exec 7>"$root/build/$group.lock"
flock 7
if ! is_current; then
  if ! $install; then
    echo "there is no build/$group; tools/trainers.sh --install $group makes it" >&2
    exit 77
  fi
  python=$(base_python)
  if ! make_venv "$python" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "error: the frameworks could not be installed into build/$group" >&2
    echo "  remedy: see build/$group.log; without a network, leave out the tests that need them: ctest -LE pypi" >&2
    exit 1
  fi
fi
echo "$venv/bin/python"
