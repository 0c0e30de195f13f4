#!/usr/bin/env bash
# What has to be shown on a GPU, in one call: builds, runs all tests on the device, grades every solution, times a
# grade with a cold start, and compares the oracle with PyTorch in float64 where PyTorch is installed.
#   tools/gpu_check.sh [DIR [STEP...]]
# Logs and records go to DIR (default: build/gpu_check), the records also as an archive. Steps, all by default: time
# solutions wrong-candidates checks tests oracle.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(realpath -m "${1:-build/gpu_check}")
wanted=("${@:2}")
kgrade=build/release/bin/kgrade
failed=()

is_wanted() { # step
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

step() { # name, command...: goes on after a failure, so that one call tells as much as it can
  local name=$1 begin=$SECONDS
  shift
  [ "$name" = build ] || is_wanted "$name" || return 0
  "$@" >"$out/$name.log" 2>&1 && local outcome=ok || { local outcome=FAILED; failed+=("$name"); }
  echo "== $name: $outcome, $((SECONDS - begin)) s"
  [ "$outcome" = ok ] || tail -n 40 "$out/$name.log"
}

grade_solutions() {
  local folder slug status=0
  for folder in solutions/*/; do
    slug=$(basename "$folder")
    "$kgrade" grade "$slug" "$folder"*.cu --device cuda --verbose --json "$records/$slug.json" || status=1
  done
  return "$status"
}

# The verdicts are checked by the tests; this keeps the records. Exit code 1 is as it should be: all are refused.
grade_wrong_candidates() {
  local folder slug code status=0
  mkdir -p "$records/wrong-candidates"
  for folder in harness/tests/candidates/*/; do
    slug=$(basename "$folder")
    code=0
    "$kgrade" grade "$slug" "$folder"*.cu --device cuda --quick \
      --json "$records/wrong-candidates/$slug.json" || code=$?
    [ "$code" -eq 1 ] || status=1
  done
  return "$status"
}

# Exit code 0 for what is clean, 1 for the seeded faults; anything else is a failure of ours.
check_candidates() {
  local folder slug code status=0 checks=harness/tests/checks
  mkdir -p "$records/checks"
  for folder in solutions/*/; do
    slug=$(basename "$folder")
    "$kgrade" check "$slug" "$folder"naive.cu --device cuda --verbose --json "$records/checks/$slug.json" || status=1
  done
  "$kgrade" check neighbour-sum "$checks"/candidates/*_clean.cu --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/clean.json" || status=1
  code=0
  "$kgrade" check neighbour-sum "$checks"/candidates/*_bug.cu --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/bugs.json" || code=$?
  [ "$code" -eq 1 ] || status=1
  return "$status"
}

# From the command to the verdict, nothing compiled before: the figure that the README gives.
time_one_grade() {
  local slug=conv-transpose-2d-sq-input-asym-kernel begin end
  for _ in 1 2 3; do
    begin=$(date +%s.%N)
    "$kgrade" grade "$slug" "solutions/$slug/naive.cu" --case kernelbench --device cuda --verbose \
      --json "$records/$slug.kernelbench.json" || return
    end=$(date +%s.%N)
    awk "BEGIN {printf \"seconds from command to verdict: %.2f\\n\", $end - $begin}"
  done
}

records=$out/records
mkdir -p "$records"
step build env KGRADE_CMAKE_FLAGS="${KGRADE_CMAKE_FLAGS:-}" tools/build.sh --tests
[ -x "$kgrade" ] || exit 1
"$kgrade" doctor
step time time_one_grade
is_wanted time && grep 'seconds from' "$out/time.log"
step solutions grade_solutions
step wrong-candidates grade_wrong_candidates
step checks check_candidates
# The tests labelled pypi need packages from PyPI; a GPU machine may have no network.
step tests env KGRADE_TEST_DEVICE=cuda ctest --preset release --parallel 8 -LE pypi
is_wanted tests && grep 'tests passed' "$out/tests.log"
if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  step oracle python3 tools/oracle_check/torch_check.py --kgrade "$kgrade" --json "$records/oracle.json"
  is_wanted oracle && tail -n 3 "$out/oracle.log"
fi
tar -C "$out" -czf "$out/records.tar.gz" records
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
