#!/usr/bin/env bash
# Makes the archive of the sources, lets pip build a wheel from it, and compares that with the wheel of tools/wheel.sh:
#   sdist_test.sh [BUILD]    by default build/release
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*"; exit 1; }

"$root/tools/wheel.sh" --sdist --of "$build" --into "$work/dist"
tar --list --file dist/kgrade-*.tar.gz | sed 's|^[^/]*/||' | sort >sources
for path in CMakeLists.txt LICENSE README.md pyproject.toml python/kgrade/py.typed tools/wheel.sh problems/softmax.md; do
  grep -qFx "$path" sources || fail "$path is not in the archive"
done
if grep -E '^(build|dist|\.git|\.ci)/|^results/[^/]*/' sources | head; then
  fail "the archive has files that nobody builds from"
fi

# pip unpacks it into a folder of its own, which is outside of every checkout.
python3 -m venv environment
unset KGRADE_PROGRAM KGRADE_PYTHON PYTHONPATH VIRTUAL_ENV
environment/bin/pip wheel --quiet --no-deps --wheel-dir from-sources dist/kgrade-*.tar.gz

names_in() { python3 -m zipfile --list "$1" | awk 'NR > 1 {print $1}' | sort; }
diff <(names_in dist/kgrade-*.whl) <(names_in from-sources/kgrade-*.whl) ||
  fail "pip's wheel has other files than that of tools/wheel.sh"
environment/bin/pip install --quiet from-sources/kgrade-*.whl
cp "$root/solutions/vector-addition/naive.cu" mine.cu
KGRADE_CACHE_DIR=$work/cache environment/bin/kgrade grade vector-addition mine.cu --device emulated --case tiny |
  grep '^accepted' || fail "the program that pip built does not grade"
