#!/usr/bin/env bash
# Everything that has to be shown on a GPU: builds, runs all tests on the device, grades every solution, times grades from
# a cold start, measures how well speeds repeat, and compares with other tools if they are installed.
#   tools/gpu_check.sh [--built] [DIR [STEP...]]
# Logs and records go to DIR (default: build/gpu_check), the records also as an archive. --built skips the build.
# CUDA_VISIBLE_DEVICES selects one of several GPUs. The steps, all by default:
#   time solutions lint wrong-candidates checks profiles   verdicts, records, and how long they take
#   orders                                        honest kernels that add in other orders, in the measured cases too
#   sweep throughput                              all solutions in one sweep; candidates a minute, nothing compiled before
#   tests                                         all tests except those in the next line, eight at a time
#   cheats controls honest cheats_test end_to_end_test    candidates that occupy the device, or need it for themselves
#   selftest slowdowns repeat                     kernels against themselves and against slow-downs; the same speedups twice
#   oracle baselines                              against PyTorch: answers in float64, times of cuDNN
#   nvbench                                       times against nvbench's (Python package cuda-bench)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
is_built=
[ "${1:-}" != --built ] || { is_built=1; shift; }
out=$(realpath -m "${1:-build/gpu_check}")
export KGRADE_TEST_DEVICE=cuda
wanted=("${@:2}")
kgrade=build/release/bin/kgrade
planted=build/release/planted  # harness/tests with the files that tables describe
failed=()

is_wanted() { # step
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

step() { # name, command...: goes on after a failure, so that one call shows as much as possible
  local name=$1 begin=$SECONDS
  shift
  [ "$name" = build ] || is_wanted "$name" || return 0
  "$@" >"$out/$name.log" 2>&1 && local outcome=ok || { local outcome=FAILED; failed+=("$name"); }
  echo "== $name: $outcome, $((SECONDS - begin)) s"
  [ "$outcome" = ok ] || tail -n 40 "$out/$name.log"
}

# The problems with a tuned kernel: their figures are published one by one. `sweep` covers all problems.
tuned_problems() {
  local tuned
  for tuned in solutions/*/tuned.cu; do
    basename "$(dirname "$tuned")"
  done
}

# One record each, since a record holds candidates of one element type and class. Each except naive.cu has its own folder.
grade_solutions() {
  local candidate slug name place status=0
  for slug in $(tuned_problems); do
    for candidate in solutions/"$slug"/*.cu; do
      name=$(basename "$candidate" .cu)
      place=$records
      [ "$name" = naive ] || place=$records/$name
      mkdir -p "$place"
      "$kgrade" grade "$slug" "$candidate" --device cuda --verbose --json "$place/$slug.json" || status=1
    done
  done
  return "$status"
}

# The tuned kernels and the plain ones of the same problems.
profile_solutions() {
  local slug status=0
  mkdir -p "$records/profiles"
  for slug in $(tuned_problems); do
    "$kgrade" profile "$slug" solutions/"$slug"/tuned.cu solutions/"$slug"/naive.cu --device cuda \
      --json "$records/profiles/$slug.json" || status=1
  done
  return $status
}

# Of files below $planted, those that the checkout has by their path there, so that records name them.
own_paths() { # files
  local file own
  for file; do
    own=harness/tests/${file#"$planted"/}
    [ ! -f "$own" ] || file=$own
    printf '%s\0' "$file"
  done
}

# The tests check the verdicts; this keeps the records. Exit code 1 is right: all are refused.
grade_wrong_candidates() {
  local folder slug code status=0 files
  mkdir -p "$records/wrong-candidates"
  for folder in "$planted"/candidates/*/; do
    slug=$(basename "$folder")
    [ "$slug" != families ] || continue  # headers that several of them include
    code=0
    mapfile -d '' -t files < <(own_paths "$folder"*.cu)
    "$kgrade" grade "$slug" "${files[@]}" --device cuda --quick \
      --json "$records/wrong-candidates/$slug.json" || code=$?
    [ "$code" -eq 1 ] || status=1
  done
  return "$status"
}

# Under compute-sanitizer times do not matter, so several run at the same time.
check_solution() { # candidate
  local slug
  slug=$(basename "$(dirname "$1")")
  "$kgrade" check "$slug" "$1" --device cuda --verbose --json "$records/checks/$slug.$(basename "$1" .cu).json"
}

# The exit code must be 0 for clean kernels and 1 for those with bugs; anything else is our failure.
check_candidates() {
  local slug code status=0 checks=$planted/checks files
  mkdir -p "$records/checks"
  for slug in $(tuned_problems); do
    printf '%s\0' solutions/"$slug"/*.cu
  done | xargs -0 -n 1 -P 6 bash -c 'check_solution "$1"' check || status=1
  mapfile -d '' -t files < <(own_paths "$checks"/candidates/*_clean.cu)
  "$kgrade" check neighbour-sum "${files[@]}" --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/clean.json" || status=1
  code=0
  mapfile -d '' -t files < <(own_paths "$checks"/candidates/*_bug.cu)
  "$kgrade" check neighbour-sum "${files[@]}" --problems "$checks/problems" --device cuda \
    --case four-blocks --json "$records/checks/bugs.json" || code=$?
  [ "$code" -eq 1 ] || status=1
  return "$status"
}

# Includes measured cases. Four at a time: compilers and the host's part of one problem go on beside another's kernels.
lint_problem() { # problem file
  "$kgrade" lint "$1" --deep --device cuda --json "$records/lint/$(basename "$1" .md).out"
}

lint_problems() {
  mkdir -p "$records/lint"
  printf '%s\0' problems/[!R]*.md | xargs -0 -n 1 -P 4 bash -c 'lint_problem "$1"' lint
}

time_grade() { # what, arguments...
  local slug=conv-transpose-2d-sq-input-asym-kernel begin end
  begin=$(date +%s.%N)
  KGRADE_CACHE_DIR='' "$kgrade" grade "$slug" "solutions/$slug/naive.cu" --device cuda --verbose "${@:2}" || return
  end=$(date +%s.%N)
  awk "BEGIN {printf \"seconds from command to verdict, $1: %.2f\\n\", $end - $begin}"
}

# Nothing is compiled before: these are the figures in the README.
time_grades() {
  time_grade "one case" --case kernelbench --json "$records/conv-transpose-2d-sq-input-asym-kernel.kernelbench.json" &&
    time_grade "all cases" && time_grade "all cases, quick" --quick
}

# All speedups once more, to compare with those of `solutions`.
grade_again() {
  local first=$records
  local records=$first/again
  mkdir -p "$records"
  grade_solutions
}

has_python() { # module
  python3 -c "import torch, $1, sys; sys.exit(not torch.cuda.is_available())" 2>/dev/null
}

# PyTorch brings its own cuDNN, for machines without another one.
find_cudnn() {
  python3 -c 'import nvidia.cudnn; print(list(nvidia.cudnn.__path__)[0])' 2>/dev/null
}

records=$out/records
export kgrade records
export CUDNN_PATH=${CUDNN_PATH:-$(find_cudnn)}
export -f check_solution lint_problem
mkdir -p "$records"
[ -n "$is_built" ] || step build env KGRADE_CMAKE_FLAGS="${KGRADE_CMAKE_FLAGS:-}" tools/build.sh --tests
[ -x "$kgrade" ] || exit 1
"$kgrade" doctor
step time time_grades
is_wanted time && grep 'seconds from' "$out/time.log"
step solutions grade_solutions
step sweep "$kgrade" sweep --all --device cuda --overwrite --output "$records/sweep.jsonl"
is_wanted sweep && tail -n 3 "$out/sweep.log"
step orders env KGRADE_ALL=1 tools/honest_orders.py --folder "$out/orders" -- --device cuda --hidden 0
is_wanted orders && tail -n 3 "$out/orders.log"
step throughput tools/throughput.py --kgrade "$kgrade" --device cuda --json "$records/throughput.out"
is_wanted throughput && grep -v '^\[' "$out/throughput.log"
step lint lint_problems
is_wanted lint && grep -E 'error|warning' "$out/lint.log" | tail -n 10
step wrong-candidates grade_wrong_candidates
step checks check_candidates
step profiles profile_solutions
# Tests labelled pypi need packages from PyPI, and a GPU machine may have no network. tools.honest_orders is `orders`.
alone='Cheats\.|Controls\.|HonestCandidates\.|cheats_test|end_to_end_test|tools.honest_orders$'
step tests ctest --preset release --parallel 8 -LE pypi -E "$alone"
is_wanted tests && grep 'tests passed' "$out/tests.log"
for suite in Cheats Controls HonestCandidates cheats_test end_to_end_test; do
  name=$(tr '[:upper:]' '[:lower:]' <<<"${suite%Candidates}")
  step "$name" ctest --preset release --parallel 1 -R "$suite" --timeout 600
  is_wanted "$name" && grep 'tests passed' "$out/$name.log"
done
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
