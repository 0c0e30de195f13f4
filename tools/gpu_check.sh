#!/usr/bin/env bash
# What has to be shown on a GPU: builds, runs all tests on the device, grades every solution, times grades with a cold
# start, measures how well speeds repeat, and compares with other tools where they are installed.
#   tools/gpu_check.sh [DIR [STEP...]]
# Logs and records go to DIR (default: build/gpu_check), the records also as an archive. Steps, all by default:
#   time solutions lint wrong-candidates checks   verdicts, records and how long they take
#   sweep throughput                              all solutions in one sweep; candidates a minute, nothing compiled before
#   tests cheats                                  all tests; those that need the device for themselves, one at a time
#   selftest slowdowns repeat                     A/A comparisons, and with slow-downs; the same speedups twice
#   oracle baselines                              against PyTorch: answers in float64, times of cuDNN
#   nvbench                                       times against nvbench's (Python package cuda-bench)
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

# One record each, since a record holds candidates of one element type and class: those beside naive.cu in folders of their names.
grade_solutions() {
  local candidate slug name place status=0
  for candidate in solutions/*/*.cu; do
    slug=$(basename "$(dirname "$candidate")")
    name=$(basename "$candidate" .cu)
    place=$records
    [ "$name" = naive ] || place=$records/$name
    mkdir -p "$place"
    "$kgrade" grade "$slug" "$candidate" --device cuda --verbose --json "$place/$slug.json" || status=1
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
  local naive slug code status=0 checks=harness/tests/checks
  mkdir -p "$records/checks"
  for naive in solutions/*/naive.cu; do
    slug=$(basename "$(dirname "$naive")")
    "$kgrade" check "$slug" "$naive" --device cuda --verbose --json "$records/checks/$slug.json" || status=1
  done
  "$kgrade" check neighbour-sum "$checks"/candidates/*_clean.cu --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/clean.json" || status=1
  code=0
  "$kgrade" check neighbour-sum "$checks"/candidates/*_bug.cu --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/bugs.json" || code=$?
  [ "$code" -eq 1 ] || status=1
  return "$status"
}

time_grade() { # what, arguments...
  local slug=conv-transpose-2d-sq-input-asym-kernel begin end
  begin=$(date +%s.%N)
  KGRADE_CACHE_DIR='' "$kgrade" grade "$slug" "solutions/$slug/naive.cu" --device cuda --verbose "${@:2}" || return
  end=$(date +%s.%N)
  awk "BEGIN {printf \"seconds from command to verdict, $1: %.2f\\n\", $end - $begin}"
}

# Nothing compiled before: the figures that the README gives.
time_grades() {
  time_grade "one case" --case kernelbench --json "$records/conv-transpose-2d-sq-input-asym-kernel.kernelbench.json" &&
    time_grade "all cases" && time_grade "all cases, quick" --quick
}

# All speedups once more, to be held against those of `solutions`.
grade_again() {
  local first=$records
  local records=$first/again
  mkdir -p "$records"
  grade_solutions
}

has_python() { # module
  python3 -c "import torch, $1, sys; sys.exit(not torch.cuda.is_available())" 2>/dev/null
}

records=$out/records
mkdir -p "$records"
step build env KGRADE_CMAKE_FLAGS="${KGRADE_CMAKE_FLAGS:-}" tools/build.sh --tests
[ -x "$kgrade" ] || exit 1
"$kgrade" doctor
step time time_grades
is_wanted time && grep 'seconds from' "$out/time.log"
step solutions grade_solutions
step sweep "$kgrade" sweep --device cuda --overwrite --output "$records/sweep.jsonl"
is_wanted sweep && tail -n 3 "$out/sweep.log"
step throughput tools/throughput.py --kgrade "$kgrade" --device cuda --json "$records/throughput.out"
is_wanted throughput && grep -v '^\[' "$out/throughput.log"
# Measured cases too: much of it is the host's work, and takes memory for five outputs of the largest problem.
step lint "$kgrade" lint --deep --device cuda --json "$out/records/lint.out"
is_wanted lint && tail -n 2 "$out/lint.log"
step wrong-candidates grade_wrong_candidates
step checks check_candidates
# The tests labelled pypi need packages from PyPI; a GPU machine may have no network.
alone='Cheats|Controls|HonestCandidates' # candidates that take the device for themselves, or must have it
step tests env KGRADE_TEST_DEVICE=cuda ctest --preset release --parallel 8 -LE pypi -E "$alone"
is_wanted tests && grep 'tests passed' "$out/tests.log"
step cheats env KGRADE_TEST_DEVICE=cuda ctest --preset release --parallel 1 -R "$alone" --timeout 300
is_wanted cheats && grep 'tests passed' "$out/cheats.log"
step selftest "$kgrade" selftest --device cuda --quick --comparisons 200 --slowdowns 0 --time 240 \
  --json "$records/selftest.json" --svg "$records/selftest.svg"
is_wanted selftest && tail -n 15 "$out/selftest.log"
step slowdowns "$kgrade" selftest --device cuda --kernels '*20us,*50us,*100us,*500us,*1ms,*10ms,*100ms' \
  --comparisons 0 --slowdowns 63 --time 180 --json "$records/slowdowns.json" --svg "$records/slowdowns.svg"
is_wanted slowdowns && tail -n 15 "$out/slowdowns.log"
step repeat grade_again
if has_python cuda.bench; then
  step nvbench python3 tools/nvbench_check/nvbench_check.py "$kgrade" "$records/nvbench.json"
  is_wanted nvbench && tail -n 12 "$out/nvbench.log"
fi
if has_python sys; then
  step oracle python3 tools/oracle_check/torch_check.py --kgrade "$kgrade" --json "$records/oracle.json"
  is_wanted oracle && tail -n 3 "$out/oracle.log"
  step baselines python3 tools/baseline_check.py --json "$records/baseline-check.out"
  is_wanted baselines && tail -n 15 "$out/baselines.log"
fi
tar -C "$out" -czf "$out/records.tar.gz" records
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
