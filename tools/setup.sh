#!/usr/bin/env bash
# Installs the packages that this machine lacks to build kgrade, on Debian 12 and Ubuntu 24.04 or later.
#   tools/setup.sh               for building and running
#   tools/setup.sh --tests       also for the tests
#   tools/setup.sh --all-tests   also for the slow tests: Slurm, bubblewrap, a browser
#   tools/setup.sh --fuzz        also for tools/fuzz.sh
#   tools/setup.sh --wheel       also for tools/wheel.sh
# The script looks for the programs and CMake packages themselves, not for Debian packages. So software that was
# installed in another way counts, and apt is not called if nothing is missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
os_release=${KGRADE_OS_RELEASE:-/etc/os-release}
log=$root/build/setup.log

say() { echo "setup: $*"; }

fail() { # message, remedy
  echo "error: $1" >&2
  echo "  remedy: $2" >&2
  exit 1
}

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

at_least() { # wanted version, version
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

has_cxx20_compiler() {
  local program='#include <span>
int main(int argc, char**) { return [](auto n) requires(sizeof n == 4) { return n; }(argc); }'
  "${CXX:-c++}" -std=c++20 -x c++ -fsyntax-only - <<<"$program" 2>/dev/null
}

has_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/.*version //p')
  [ -n "$version" ] && at_least 3.25 "$version"
}

has_venv() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
  done
  return 1
}

has_libfuzzer() {
  local folder code=0
  folder=$(mktemp -d)
  # From a file: if a compiler exited before it had read a pipe, the whole pipe would sometimes fail.
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >"$folder/probe.cc"
  clang++ -fsanitize=fuzzer,address,undefined -o "$folder/probe" "$folder/probe.cc" 2>/dev/null || code=1
  rm -rf "$folder"
  return $code
}

has_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    ! command -v "$name" >/dev/null || return 0
  done
  return 1
}

# Prints the given CMake packages that find_package does not find.
missing_cmake_packages() {
  local probe
  probe=$(mktemp -d)
  cat >"$probe/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
foreach(package ${PACKAGES})
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    file(APPEND ${CMAKE_BINARY_DIR}/missing "${package}\n")
  endif()
endforeach()
EOF
  local list
  list=$(IFS=';' && echo "$*")
  if cmake -S "$probe" -B "$probe/build" -G Ninja "-DPACKAGES=$list" >"$probe/log" 2>&1; then
    cat "$probe/build/missing" 2>/dev/null || true
  else
    printf '%s\n' "$@"
  fi
  rm -rf "$probe"
}

# Prints the programs that are missing. Daemons are in /usr/sbin, which is not always in PATH.
missing_programs() { # program:package...
  local pair
  for pair in "$@"; do
    PATH=$PATH:/usr/sbin command -v "${pair%:*}" >/dev/null || echo "${pair%:*} ${pair#*:}"
  done
}

# Prints a line "<what is missing> <Debian packages>" for each. The purpose is tests, all-tests, fuzz,
# wheel, or empty for a build.
missing() {
  local purpose=$1
  local programs_there=true
  has_cxx20_compiler || { echo "C++20-compiler g++"; programs_there=false; }
  has_cmake || { echo "cmake>=3.25 cmake"; programs_there=false; }
  command -v ninja >/dev/null || { echo "ninja ninja-build"; programs_there=false; }

  local -A package_of=([yaml-cpp]=libyaml-cpp-dev [nlohmann_json]=nlohmann-json3-dev [CLI11]=libcli11-dev
    [fmt]=libfmt-dev [Boost]=libboost-dev)
  [[ $purpose =~ ^(wheel)?$ ]] || package_of[GTest]="libgtest-dev libgmock-dev"
  case $purpose in
    tests | all-tests | wheel) has_venv || echo "python3-venv python3 python3-venv" ;;&
    # For the workflow in tools/ci, the completions of commands, and the man page.
    tests | all-tests) missing_programs jq:jq zsh:zsh fish:fish man:man-db mandoc:mandoc ;;&
    all-tests)
      missing_programs slurmctld:slurmctld slurmd:slurmd squeue:slurm-client munged:munge bwrap:bubblewrap
      has_chromium || echo "chromium chromium"
      ;;
    fuzz) has_libfuzzer || echo "clang++-with-libFuzzer clang libclang-rt-dev" ;;
  esac
  local library
  if $programs_there; then
    while read -r library; do
      [ -z "$library" ] || echo "$library ${package_of[$library]}"
    done < <(missing_cmake_packages "${!package_of[@]}")
  else # without these programs we cannot look for libraries; apt skips those that are installed
    for library in "${!package_of[@]}"; do echo "$library ${package_of[$library]}"; done
  fi
}

names_of() { awk '{print $1}' <<<"$1" | sort | paste -sd ' ' -; }
packages_of() { awk '{for (i = 2; i <= NF; i++) print $i}' <<<"$1" | sort -u | paste -sd ' ' -; }

is_known_system() {
  [ -r "$os_release" ] || return 1
  local id version
  id=$(sed -n 's/^ID="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$os_release")
  version=$(sed -n 's/^VERSION_ID="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$os_release")
  case $id in
    debian) at_least 12 "${version:-99}" ;; # testing and unstable have no version number
    ubuntu) at_least 24.04 "${version:-0}" ;;
    *) return 1 ;;
  esac
}

apt_install() { # packages
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "installing packages needs root, and there is no sudo" "as root: apt-get install $*"
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  # Go on if the lists cannot be refreshed: the packages may be available all the same.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update >"$log" 2>&1 </dev/null ||
    say "apt-get update failed (see build/setup.log); trying with the existing lists"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
    grep -E '^(E|W): ' "$log" | tail -n 5 >&2 || true
    fail "apt-get could not install $*" "see build/setup.log; without a network, install these packages by hand"
  fi
}

install_missing() {
  local purpose=$1 lacking packages
  lacking=$(missing "$purpose")
  if [ -z "$lacking" ]; then
    say "nothing to install"
    return
  fi
  packages=$(packages_of "$lacking")
  is_known_system || fail \
    "this system is neither Debian 12 nor Ubuntu 24.04 or later, and it lacks: $(names_of "$lacking")" \
    "install them; the Debian packages are: $packages"
  command -v apt-get >/dev/null || fail "there is no apt-get, and this machine lacks: $(names_of "$lacking")" \
    "install the packages $packages"
  say "installing $packages"
  # shellcheck disable=SC2086 # one word for each package
  apt_install $packages
  lacking=$(missing "$purpose")
  [ -z "$lacking" ] || fail "still missing after the installation: $(names_of "$lacking")" \
    "see build/setup.log; another version earlier in PATH or CMAKE_PREFIX_PATH may be in the way"
  say "installed"
}

report_cuda() {
  local nvcc
  if nvcc=$(command -v nvcc) || nvcc=$(command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"); then
    say "CUDA Toolkit: $nvcc"
  else
    say "no CUDA Toolkit (nvcc): the CUDA device is not built; the emulated device is"
  fi
}

main() {
  local purpose=''
  case "${1:-}" in
    '') ;;
    --tests | --all-tests | --fuzz | --wheel) purpose=${1#--} ;;
    -h | --help) usage && return ;;
    *) usage >&2 && exit 2 ;;
  esac
  install_missing "$purpose"
  report_cuda
  if [[ $purpose == *tests ]]; then
    # The other tests run without the packages from PyPI.
    "$root/tools/test_python.sh" >/dev/null ||
      say "the tests labelled 'pypi' will fail; the others do not need them"
  fi
}

main "$@"
