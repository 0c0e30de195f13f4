#!/usr/bin/env bash
# Fuzzes everything that reads bytes from hostile code, with clang's libFuzzer and its address and undefined-behaviour
# sanitizers.
#   tools/fuzz.sh [SECONDS]           all fuzzers, SECONDS of running time in total (default 60), on at most two cores
#   tools/fuzz.sh --each SECONDS      SECONDS for each fuzzer
#   tools/fuzz.sh --sanitized         the same targets, and random messages and files, from a fixed seed (fuzz_test)
#   tools/fuzz.sh --replay FUZZER FILE...
# Exit codes: 0 nothing found, 1 an input that fails (its path is printed), 2 wrong usage, 3 no clang or no libFuzzer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/fuzz
# Shares of the time: replies, problem files and expressions come first and get most.
shares=(fuzz_reply:6 fuzz_frontmatter:6 fuzz_expression:4 fuzz_request:2 fuzz_rewrite:3 fuzz_rewriter_answer:1
  fuzz_sanitizer_report:2 fuzz_finding_book:1 fuzz_profile:2 fuzz_record:2 fuzz_addr2line:1 fuzz_compiler_log:1 fuzz_worker_output:1
  fuzz_grade_request:2 fuzz_journal:2 fuzz_front:3)
seconds_for_one_input=20

usage() { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

cores() {
  local count
  count=$(nproc)
  echo $((count < 2 ? count : 2))
}

require_libfuzzer() {
  local probe=$build/probe
  mkdir -p "$build"
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >"$probe.cc"
  clang++ -fsanitize=fuzzer,address,undefined -o "$probe" "$probe.cc" 2>"$probe.log" && return
  echo "error: clang++ with libFuzzer is not installed" >&2
  echo "  remedy: tools/setup.sh --fuzz, or apt-get install clang libclang-rt-dev (libclang-rt-14-dev on Debian 12)" >&2
  exit 3
}

logged() { # name of the log, command...
  local log=$build/$1.log
  shift
  "$@" >"$log" 2>&1 && return
  tail -n 50 "$log" >&2
  echo "error: '$*' failed; see $log" >&2
  exit 70
}

build_targets() { # targets
  local flags
  read -r -a flags <<<"${KGRADE_CMAKE_FLAGS:-}"
  # Another compiler has other warnings; only those of the users' builds are errors.
  logged configure cmake --preset fuzz "${flags[@]}" -DKGRADE_WERROR=OFF
  logged build cmake --build "$build" --parallel "$(cores)" --target "$@"
}

sanitizer_options() {
  export ASAN_OPTIONS=abort_on_error=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
  export UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
}

# Runs one fuzzer. Its corpus is kept for the next run.
fuzz_one() { # fuzzer, seconds
  local fuzzer=$1 dictionary=()
  local dictionary_file=harness/tests/fuzz/dictionaries/$fuzzer.dict
  [ ! -e "$dictionary_file" ] || dictionary=("-dict=$dictionary_file")
  mkdir -p "$build/corpus/$fuzzer" "$build/failures"
  "$build/bin/$fuzzer" -max_total_time="$2" -timeout=$seconds_for_one_input -rss_limit_mb=2048 -print_final_stats=1 \
    -max_len=16384 "${dictionary[@]}" -artifact_prefix="$build/failures/$fuzzer-" \
    "$build/corpus/$fuzzer" "$build/seeds/$fuzzer" >"$build/$fuzzer.log" 2>&1 </dev/null
}

number_of() { # name of a statistic, log
  sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

report_one() { # fuzzer
  local log=$build/$1.log coverage
  # If the first input fails, the log has no such line.
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf '%-22s %10s executions %8s a second  coverage %s\n' "$1" "$(number_of number_of_executed_units "$log")" \
    "$(number_of average_exec_per_sec "$log")" "${coverage:-?}"
}

explain_failure() { # fuzzer
  local log=$build/$1.log input
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  grep -E '^==.*ERROR|runtime error:|what\(\):|^SUMMARY' "$log" | head -n 5 || tail -n 20 "$log"
  echo "FAILED: $1: ${input:-no input was written}; see $log"
  [ -z "$input" ] || echo "  replay: tools/fuzz.sh --replay $1 $input"
}

# Two lanes; each takes the next fuzzer when it has finished one.
run_all() { # seconds, whether for each
  local total=0 entry fuzzer lanes
  for entry in "${shares[@]}"; do total=$((total + ${entry#*:})); done
  lanes=$(cores)
  for entry in "${shares[@]}"; do
    fuzzer=${entry%:*}
    while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n || true; done
    rm -f "$build/$fuzzer.passed"
    local seconds=$(($1 * lanes * ${entry#*:} / total))
    ! $2 || seconds=$1
    { fuzz_one "$fuzzer" $((seconds < 1 ? 1 : seconds)) && : >"$build/$fuzzer.passed"; } &
  done
  wait
}

fuzz() { # seconds, whether for each
  build_targets fuzzers
  # Without Boost there is no service to fuzz.
  [ ! -e "$build/bin/fuzz_http" ] || shares+=(fuzz_http:4)
  rm -rf "$build/seeds"
  "$build/bin/write_seeds" . "$build/seeds"
  run_all "$1" "$2"
  local entry failed=false
  for entry in "${shares[@]}"; do
    report_one "${entry%:*}"
    [ -e "$build/${entry%:*}.passed" ] || { explain_failure "${entry%:*}" && failed=true; }
  done
  ! $failed
}

main() {
  case "${1:-}" in
    -h | --help) usage && return ;;
    --sanitized | --replay | '') ;;
    --each)
      case "${2:-}" in '' | *[!0-9]* | 0*) usage >&2 && exit 2 ;; esac
      ;;
    *[!0-9]* | 0*) usage >&2 && exit 2 ;;
  esac
  require_libfuzzer
  sanitizer_options
  case "${1:-60}" in
    --sanitized)
      build_targets fuzz_test
      "$build/bin/fuzz_test" --gtest_brief=1
      ;;
    --replay)
      [ $# -ge 3 ] || { usage >&2 && exit 2; }
      build_targets "$2"
      "$build/bin/$2" -timeout=$seconds_for_one_input "${@:3}"
      ;;
    --each) fuzz "$2" true ;;
    *) fuzz "${1:-60}" false ;;
  esac
}

main "$@"
