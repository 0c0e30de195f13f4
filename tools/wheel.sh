#!/usr/bin/env bash
# Builds the Python package into dist/: a wheel for Linux on x86-64 with the program in it, and with --sdist the sources.
#   tools/wheel.sh [--sdist]
# It builds in build/wheel. The tag of the wheel names the oldest glibc that it runs with, as auditwheel finds it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh
# Its own Python packages, so that the user's stay as they are.
tools=$PWD/build/wheel-tools
if [ ! -x "$tools/bin/auditwheel" ]; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet 'build==1.3.*' 'auditwheel==6.*' wheel ninja
fi
export PATH=$tools/bin:$PATH
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python -m build --wheel --outdir "$made"
# The programs find the libraries beside them themselves, so that only the tag is left to set.
policy=$(auditwheel show "$made"/*.whl | grep -o 'manylinux_[0-9]*_[0-9]*_x86_64' | head -n 1)
python -m wheel tags --platform-tag "$policy" --remove "$made"/*.whl >/dev/null
rm -rf dist
mkdir dist
mv "$made"/*.whl dist/
if [ "${1:-}" = --sdist ]; then
  python -m build --sdist --outdir dist
fi
ls -l dist
