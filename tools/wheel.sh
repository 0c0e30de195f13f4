#!/usr/bin/env bash
# Builds the Python package into dist/: a wheel for Linux on x86-64 with the program in it, and with --sdist the sources.
#   tools/wheel.sh [--sdist] [--of BUILD] [--into DIR]
# The wheel holds what `cmake --install` installs of build/release, which is built first, or of the folder that --of names,
# which is taken as it is. The tag of the wheel names the oldest glibc that it runs with, as auditwheel finds it.
set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  sed -n '3s/^# *//p' "${BASH_SOURCE[0]}"
}

fail() { # message, remedy
  echo "error: $1" >&2
  echo "  remedy: $2" >&2
  exit 1
}

from_here() { # path that the user gave
  case $1 in
    /*) echo "$1" ;;
    *) echo "$here/$1" ;;
  esac
}

# Makes build/wheel-tools, a virtual environment of its own, so that the user's stay as they are.
make_tools() {
  local tools=$PWD/build/wheel-tools
  mkdir -p build
  # Tests that ctest runs at the same time must not create it twice.
  exec 9>build/wheel-tools.lock
  flock 9
  if [ ! -e "$tools/complete" ]; then
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check 'build==1.3.*' 'auditwheel==6.*' 'scikit-build-core>=0.10' wheel
    : >"$tools/complete"
  fi
  exec 9>&-
  export PATH=$tools/bin:$PATH
}

# Installs a build into a folder, with the libraries that other machines lack.
install_for_others() { # build, folder
  [ -x "$1/bin/kgrade" ] || fail "there is no build in $1" "build first: tools/build.sh"
  cmake --install "$1" --prefix "$2" --strip >/dev/null
  cmake --install "$1" --component bundle --prefix "$2" --strip >/dev/null
  local paths
  # shellcheck disable=SC2016 # $ORIGIN is for the loader
  paths=$(find "$2/bin" "$2/libexec" -type f -exec readelf --dynamic {} + 2>/dev/null |
    sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p' | tr ':' '\n' | grep -v '^\$ORIGIN' | sort -u | paste -sd ' ' -) || true
  [ -z "$paths" ] || fail "programs of $1 look for libraries in folders of this machine: $paths" \
    "configure with -DKGRADE_BUNDLE=ON and build again"
}

# Makes the wheel of an installed program, and gives it the tag that fits.
pack() { # folder of the installation, folder for the wheel
  local policy
  python -m build --wheel --no-isolation --outdir "$2" -Cbuild-dir="$work/pack" -Ccmake.source-dir=cmake/pack \
    -Ccmake.define.KGRADE_INSTALLED="$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  # The programs find the libraries beside them themselves, so that only the tag is left to set.
  policy=$(auditwheel show "$2"/*.whl | grep -o 'manylinux_[0-9]*_[0-9]*_x86_64' | head -n 1) || true
  [ -n "$policy" ] || fail "the wheel would run on no other machine: $(auditwheel show "$2"/*.whl | paste -sd ' ' -)" \
    "link libraries that are not of the system statically, or bundle them (cmake/KgradeInstall.cmake)"
  python -m wheel tags --platform-tag "$policy" --remove "$2"/*.whl >/dev/null
}

# What a wheel has depends on what was found where it was built.
report() { # folder of the installation
  if [ -e "$1/libexec/kgrade/kgrade-worker-cuda" ]; then
    echo "wheel: with the CUDA device"
  else
    echo "wheel: without the CUDA device: no CUDA Toolkit was found; kernels run on the emulated device alone"
  fi
}

# Grades a kernel through the service of the wheel, as its users do: in an environment that has only the wheel.
prove() { # folder with the wheel
  local said kernel=$PWD/solutions/vector-addition/naive.cu
  python3 -m venv "$work/user"
  "$work/user/bin/pip" install --quiet --disable-pip-version-check --no-index "$1"/*.whl
  said=$(cd "$work" && env --unset=KGRADE_PROGRAM --unset=PYTHONPATH KGRADE_CACHE_DIR="$work/cache" "$work/user/bin/python" - \
    "$kernel" 2>&1 <<'PYTHON'
import sys

import kgrade

with kgrade.local(device="emulated", jobs=1, timeout=300) as client:
    grade = client.grade("vector-addition", sys.argv[1], cases=["tiny"])
print(grade.verdict or grade.reason)
PYTHON
  ) || true
  [ "$said" = accepted ] || fail "the wheel does not grade through its service: $(tail -n 1 <<<"$said")" \
    "build with Boost's headers (tools/setup.sh installs them), and see what \`kgrade serve\` says"
  echo "wheel: its service graded a kernel"
}

main() {
  local build='' into=dist sdist=false
  while [ $# -gt 0 ]; do
    case $1 in
      --sdist) sdist=true ;;
      --of | --into)
        [ $# -gt 1 ] || { usage >&2; exit 2; }
        if [ "$1" = --of ]; then build=$(from_here "$2"); else into=$(from_here "$2"); fi
        shift
        ;;
      -h | --help) usage && return ;;
      *) usage >&2 && exit 2 ;;
    esac
    shift
  done
  tools/setup.sh --wheel
  if [ -z "$build" ]; then
    tools/build.sh
    build=build/release
  fi
  make_tools
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  install_for_others "$build" "$work/installed"
  report "$work/installed"
  mkdir "$work/made"
  pack "$work/installed" "$work/made"
  prove "$work/made"
  if $sdist; then
    python -m build --sdist --no-isolation --outdir "$work/made" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  fi
  mkdir -p "$into"
  rm -f "$into"/kgrade-*.whl "$into"/kgrade-*.tar.gz
  mv "$work/made"/* "$into/"
  ls -l "$into"
}

main "$@"
