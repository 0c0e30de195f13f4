#!/usr/bin/env bash
# Steps of tools/gpu_check.sh on several GPUs of one machine at once, with what is built already.
#   tools/gpu_lanes.sh DIR SECONDS 'STEP...' ['STEP...'...]
# One list of steps for each GPU, from the first on; what still runs after SECONDS is stopped. Logs and records go to
# DIR/gpu0, DIR/gpu1 and so on. For verdicts: processes on several GPUs wait for each other in the driver, which makes
# throughput and self-tests worse than on a machine with one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
out=${1:?a folder} seconds=${2:?a time limit}
shift 2

mkdir -p "$out"
lanes=()
for steps in "$@"; do
  gpu=${#lanes[@]}
  # Word splitting is wanted: a list of steps.
  # shellcheck disable=SC2086
  CUDA_VISIBLE_DEVICES=$gpu timeout --kill-after 5 "$seconds" tools/gpu_check.sh --built "$out/gpu$gpu" $steps \
    >"$out/gpu$gpu.log" 2>&1 &
  lanes+=($!)
done

status=0
for gpu in "${!lanes[@]}"; do
  code=0
  wait "${lanes[$gpu]}" || code=$?
  echo "==== GPU $gpu: exit code $code"
  tail -n 60 "$out/gpu$gpu.log"
  [ "$code" -eq 0 ] || status=1
done
exit $status
