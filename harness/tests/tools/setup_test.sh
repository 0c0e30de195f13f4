#!/usr/bin/env bash
# Tests of tools/setup.sh. A copy of it runs with a PATH that contains only stand-ins, so nothing is ever installed.
# The stand-in for apt-get records its calls and does what the test needs.
# shellcheck disable=SC2016 # the stand-ins expand their own variables
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

new_machine() {
  rm -rf "${work:?}"/*
  mkdir -p "$work/bin" "$work/tree/tools"
  cp "$root/tools/setup.sh" "$work/tree/tools/"
  local program
  for program in awk bash cat dirname env grep head id mkdir mktemp paste rm sed sort tail; do
    ln -s "$(type -P "$program")" "$work/bin/$program"
  done
  printf 'ID=debian\nVERSION_ID="12"\n' >"$work/os-release"
  stand_in id 'echo 0'
  stand_in apt-get 'echo "$@" >>"$CALLS"'
}

stand_in() { # name, what it does
  rm -f "$work/bin/$1"
  printf '#!%s\n%s\n' "$(type -P bash)" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A machine that has all programs; its cmake finds all packages except those in $LACKING.
complete_machine() {
  new_machine
  stand_in c++ 'exit 0'
  stand_in ninja 'exit 0'
  stand_in cmake '
    [ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
    mkdir -p "$4"
    for package in $LACKING; do echo "$package" >>"$4/missing"; done'
}

set_up() { # arguments; the outcome is in $code and $output, the calls of apt-get in $calls
  code=0
  output=$(env -i PATH="$work/bin" CALLS="$work/calls" CUDA_HOME="$work/no-cuda" LACKING="${lacking:-}" \
    KGRADE_OS_RELEASE="$work/os-release" bash "$work/tree/tools/setup.sh" "$@" 2>&1) || code=$?
  calls=$(cat "$work/calls" 2>/dev/null || true)
}

failures=0
expect() { # what, command...
  local what=$1
  shift
  "$@" && return
  echo "FAILED: ${FUNCNAME[1]}: $what"
  printf 'exit code %s\n%s\ncalls of apt-get:\n%s\n' "$code" "$output" "$calls"
  failures=$((failures + 1))
}
says() { [[ $output == *"$1"* ]]; }

apt_is_not_called_when_nothing_is_missing() {
  complete_machine
  set_up
  expect "success" [ "$code" -eq 0 ]
  expect "no call of apt-get" [ -z "$calls" ]
  expect "it says that nvcc is missing" says "the CUDA device is not built; the emulated device is"
}

only_what_is_missing_is_installed() {
  complete_machine
  stand_in apt-get 'echo "$@" >>"$CALLS"; [ "$1 $2" = "-q update" ] || : >"${0%/*}/installed"'
  stand_in cmake '
    [ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
    mkdir -p "$4"
    [ -e "${0%/*}/installed" ] || echo fmt >>"$4/missing"'
  set_up
  expect "success" [ "$code" -eq 0 ]
  expect "one package" [ "${calls##*--no-install-recommends }" = libfmt-dev ]
}

everything_is_installed_on_a_bare_machine() {
  new_machine
  set_up
  local package
  for package in g++ cmake ninja-build libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libboost-dev; do
    expect "$package is asked for" [ "$(grep -cw -- "$package" <<<"$calls")" -eq 1 ]
  done
  expect "no test package" [ "$(grep -c gtest <<<"$calls")" -eq 0 ]
  expect "it names packages that are still missing" says "still missing after the installation"
  expect "failure" [ "$code" -eq 1 ]
}

an_old_cmake_counts_as_missing() {
  complete_machine
  stand_in cmake 'echo "cmake version 3.22.1"'
  set_up
  expect "cmake is asked for" [ "$(grep -cw cmake <<<"$calls")" -eq 1 ]
}

a_failure_of_apt_is_reported_with_a_remedy() {
  complete_machine
  stand_in apt-get 'echo "E: Unable to locate package libfmt-dev" >&2; exit 100'
  lacking=fmt set_up
  expect "failure" [ "$code" -eq 1 ]
  expect "what apt said" says "E: Unable to locate package libfmt-dev"
  expect "a remedy" says "remedy: "
}

another_system_learns_what_it_lacks() {
  complete_machine
  printf 'ID="fedora"\nVERSION_ID=42\n' >"$work/os-release"
  lacking="CLI11 yaml-cpp" set_up
  expect "failure" [ "$code" -eq 1 ]
  expect "what is missing" says "it lacks: CLI11 yaml-cpp"
  expect "no call of apt-get" [ -z "$calls" ]
}

another_system_that_lacks_nothing_is_fine() {
  complete_machine
  rm "$work/os-release"
  set_up
  expect "success" [ "$code" -eq 0 ]
}

without_root_and_sudo_it_says_what_to_run() {
  complete_machine
  stand_in id 'echo 1000'
  lacking=fmt set_up
  expect "failure" [ "$code" -eq 1 ]
  expect "the command to run as root" says "as root: apt-get install libfmt-dev"
}

without_root_it_uses_sudo() {
  complete_machine
  stand_in id 'echo 1000'
  stand_in sudo 'echo sudo "$@" >>"$CALLS"'
  lacking=fmt set_up
  expect "apt-get by sudo" [ "$(grep -c '^sudo env .*apt-get .*libfmt-dev$' <<<"$calls")" -eq 1 ]
}

what_single_tests_need_is_installed_only_for_all_of_them() {
  complete_machine
  set_up --tests
  expect "other shells" [ "$(grep -cw zsh <<<"$calls")" -eq 1 ]
  expect "no clients of Slurm" [ "$(grep -cw slurm-client <<<"$calls")" -eq 0 ]
  complete_machine
  set_up --all-tests
  expect "other shells" [ "$(grep -cw zsh <<<"$calls")" -eq 1 ]
  expect "clients of Slurm" [ "$(grep -cw slurm-client <<<"$calls")" -eq 1 ]
}

a_wheel_needs_no_test_package() {
  new_machine
  set_up --wheel
  expect "the compiler is asked for" [ "$(grep -cw -- g++ <<<"$calls")" -eq 1 ]
  expect "no test package" [ "$(grep -c gtest <<<"$calls")" -eq 0 ]
}

libfuzzer_is_looked_for_only_for_fuzzing() {
  complete_machine
  stand_in clang++ 'exit 1'
  set_up
  expect "success" [ "$code" -eq 0 ]
  expect "no call of apt-get" [ -z "$calls" ]
  set_up --fuzz
  expect "clang and its runtime are asked for" [ "$(grep -c -- ' clang libclang-rt-dev$' <<<"$calls")" -eq 1 ]
}

a_clang_with_libfuzzer_needs_nothing_more() {
  complete_machine
  stand_in clang++ 'exit 0'
  set_up --fuzz
  expect "success" [ "$code" -eq 0 ]
  expect "no call of apt-get" [ -z "$calls" ]
}

any_chromium_browser_will_do() {
  complete_machine
  set_up --all-tests
  expect "Debian's is asked for" grep -q -- ' chromium\b' <<<"$calls"
  complete_machine
  stand_in google-chrome 'exit 0'
  set_up --all-tests
  expect "another one is enough" bash -c '! grep -q chromium' <<<"$calls"
}

for statement in apt_is_not_called_when_nothing_is_missing only_what_is_missing_is_installed \
  everything_is_installed_on_a_bare_machine an_old_cmake_counts_as_missing \
  a_failure_of_apt_is_reported_with_a_remedy another_system_learns_what_it_lacks \
  another_system_that_lacks_nothing_is_fine without_root_and_sudo_it_says_what_to_run \
  without_root_it_uses_sudo what_single_tests_need_is_installed_only_for_all_of_them \
  a_wheel_needs_no_test_package libfuzzer_is_looked_for_only_for_fuzzing \
  a_clang_with_libfuzzer_needs_nothing_more any_chromium_browser_will_do; do
  "$statement"
done
[ "$failures" -eq 0 ]
echo "14 statements hold"
