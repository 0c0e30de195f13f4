#!/usr/bin/env bash
# Installs what is missing, configures and builds: the program is then build/release/bin/kgrade.
#   tools/build.sh [--tests [TARGET...]]    --tests also installs what the tests need, and builds them or only these targets
# KGRADE_CMAKE_FLAGS may hold flags for CMake, separated by spaces.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stage() { # name, command...
  local name=$1 begin=$SECONDS
  shift
  "$@"
  echo "== $name: $((SECONDS - begin)) s"
}

main() {
  local testing=() targets=() flags
  # A build folder that already has the tests keeps them.
  if [ "${1:-}" = --tests ]; then
    testing=(-DBUILD_TESTING=ON)
    [ $# -eq 1 ] || targets=(--target "${@:2}")
  elif [ ! -f build/release/CMakeCache.txt ]; then
    testing=(-DBUILD_TESTING=OFF)
  fi
  read -r -a flags <<<"${KGRADE_CMAKE_FLAGS:-}"
  stage set-up tools/setup.sh "${@:1:1}"
  stage configure cmake --preset release "${testing[@]}" "${flags[@]}"
  stage build cmake --build --preset release --parallel "$(nproc)" "${targets[@]}"
}

main "$@"
