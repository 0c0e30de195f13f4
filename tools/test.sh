#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests that find most mistakes for their seconds: a quarter of an hour on two
# cores, the build of a fresh clone included.
#   tools/test.sh --full             the tests that every change must pass, as .ci/run does
#   tools/test.sh --all              installs what the optional tests need, runs all tests, then those of every change once
#                                    more as in a container without namespaces and in bare roots of other distributions, then
#                                    fuzzes each target for a minute; run it before calling an issue done and before a release
#   tools/test.sh --quick            half a minute of unit tests, and builds only them
# Other arguments go to ctest:
#   tools/test.sh -R Expression      only the tests whose names match, of those of every change; with --all, also the slow ones
#   tools/test.sh -LE pypi           without the tests that need packages from PyPI
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# ctest's label `slow` marks the tests of --all alone.
without_full=(-LE '^slow$')
# What --full has beyond the default: tests that take many seconds for what they would catch beyond the others, because they
# grade hundreds of kernels, kill a service many times, or need another compiler, other shells, a wheel, PyPI's packages or
# PyTorch.
without_default=("${without_full[@]}" -E '^(end_to_end_test|Cheats|PythonCheats|HonestCandidates|cheats_test|corpus_test|soundness|lint_test|leaderboard_test|selftest_test|authoring_test|profile_test|reference_ops|cudnn_|cublas_|compile_test.nvcc|problem_test.mutation|measure_test.real|fuzz_test|benchmarks|sweep.killed|authoring[.]|record[.]|python[.]|package[.]|serve[.]openapi_by|tools[.](fallback|kernelbench_files|throughput|wrong_operators|honest_orders|oracle|ci_workflow|readme|baseline_check|python)|(emulated_(orders|low_precision)|rewriter)_test|serve.killed|cli.completion_(zsh|fish))')

set=default
case "${1:-}" in
  --quick | --full | --all)
    set=${1#--}
    shift
    ;;
esac

if [ "$set" = quick ]; then
  tools/build.sh --tests quick_tests
  exec ctest --preset release --parallel "$(nproc)" --no-tests=error -L quick "$@"
fi

# With several -LE, ctest leaves out only tests that match all of them. One expression matches any.
arguments=() labels='' is_selected=false
while [ $# -gt 0 ]; do
  case "$1" in
    -LE | --label-exclude)
      labels="$labels|${2:?$1 needs an expression}"
      shift
      ;;
    -R | --tests-regex | -L | --label-regex | -E | --exclude-regex | -I | --rerun-failed)
      is_selected=true
      arguments+=("$1")
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
# Who names tests wants them, also those that the default leaves out.
if [ "$set" = default ] && $is_selected; then set=full; fi
case $set in
  default) selection=("${without_default[@]}") ;;
  full) selection=("${without_full[@]}") ;;
  all) selection=(${labels:+-LE "${labels#|}"}) ;;
esac
[ "$set" = all ] || selection[1]=${selection[1]}$labels

count() { # arguments for ctest
  ctest --preset release -N "$@" | sed -n 's/^Total Tests: //p'
}

# What ran, and what the other sets have.
report() {
  local ran
  ! $is_selected || return 0
  ran=$(count "${selection[@]}")
  case $set in
    default) echo "tools/test.sh: these were $ran tests. tools/test.sh --full has $(count "${without_full[@]}"), and --all has $(count)." ;;
    full) echo "tools/test.sh --full: these were $ran tests. tools/test.sh has $(count "${without_default[@]}"), and --all has $(count)." ;;
    all) echo "tools/test.sh --all: these were $ran tests. tools/test.sh has $(count "${without_default[@]}"), and --full has $(count "${without_full[@]}")." ;;
  esac
}

# The programs, and of the tests only what these tests run.
build_default() {
  local targets
  tools/build.sh --tests programs
  # A program of tests is called as its test is. The other tests run scripts and programs that users have.
  readarray -t targets < <(ctest --preset release -N "${selection[@]}" | sed -n 's/.*: \([a-z_]*_test\)$/\1/p')
  cmake --build --preset release --parallel "$(nproc)" --target "${targets[@]}"
}

# Ubuntu's packages cannot be had everywhere, and a bare root needs the rights of root.
try_other_distributions() {
  local status=0
  tools/bare_root.sh --suite noble bash -c 'tools/pytorch.sh --install >/dev/null; tools/test.sh --full' || status=$?
  [ "$status" -ne 3 ] || echo "tools/test.sh --all: Ubuntu 24.04 was not tried: no bare root of it can be made here" >&2
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

if [ "$set" = all ]; then
  export KGRADE_ALL=1  # every problem, where a test draws some (tools/drawn_problems.py)
  tools/setup.sh --all-tests
fi
if [ "$set" = default ]; then build_default; else tools/build.sh --tests; fi
status=0
ctest --preset release --parallel "$(nproc)" --no-tests=error "${selection[@]}" "${arguments[@]}" || status=$?
report
[ "$status" -eq 0 ] || exit "$status"
# If tests are named, only they run; nothing runs a second time, and nothing is fuzzed.
if [ "$set" = all ] && [ ${#arguments[@]} -eq 0 ]; then
  # As in a container that allows no namespaces, where the sandbox does not confine and nothing built is kept.
  env --unset=KGRADE_ALL tools/without_namespaces.py ctest --preset release --parallel "$(nproc)" "${without_full[@]}"
  try_other_distributions
  tools/setup.sh --fuzz
  tools/fuzz.sh --sanitized
  tools/fuzz.sh --each 60
fi
