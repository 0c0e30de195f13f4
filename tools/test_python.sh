#!/usr/bin/env bash
# Prints the path of a Python interpreter that has the PyPI packages of the tests: the one in the virtual environment
# build/venv. The environment is created if it is missing, and again if the list of packages has changed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/venv
requirements=$root/tools/oracle_check/requirements.txt

is_current() { cmp -s "$requirements" "$venv/installed-requirements.txt" && "$venv/bin/python" -c ''; }

# Try the distribution's interpreter first: others in PATH may be too old or lack venv.
base_python() {
  local candidate
  for candidate in /usr/bin/python3 python3; do
    if "$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "error: no Python 3.11 or later with venv" >&2
  echo "  remedy: tools/setup.sh --tests, or install python3 and python3-venv" >&2
  return 1
}

make_venv() {
  local python log=$root/build/venv.log
  python=$(base_python)
  mkdir -p "$root/build"
  if ! { "$python" -m venv --clear "$venv" &&
         "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
       } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "error: the Python packages of the tests could not be installed into build/venv" >&2
    echo "  remedy: see build/venv.log; without a network, leave out the tests that need them: ctest -LE pypi" >&2
    return 1
  fi
  cp "$requirements" "$venv/installed-requirements.txt"
}

main() {
  mkdir -p "$root/build"
  # Tests that ctest runs at the same time must not create it twice.
  exec 9>"$root/build/venv.lock"
  flock 9
  is_current || make_venv
  echo "$venv/bin/python"
}
main
