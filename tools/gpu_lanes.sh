#!/usr/bin/env bash
# Runs steps of tools/gpu_check.sh on several GPUs of one machine at the same time, with the existing build.
#   tools/gpu_lanes.sh DIR SECONDS 'STEP...' ['STEP...'...]
# Give one list of steps for each GPU, starting with the first. Steps that still run after SECONDS are stopped. Logs and
# records go to DIR/gpu0, DIR/gpu1 and so on. Use this for verdicts: processes on several GPUs wait for each other in the
# driver, so throughput and self-tests come out worse than on a machine with one GPU.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
out=${1:?a folder} seconds=${2:?a time limit}
shift 2

mkdir -p "$out"
lanes=()
for steps in "$@"; do
  gpu=${#lanes[@]}
  # The list of steps is split into words on purpose.
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
