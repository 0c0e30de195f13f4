#!/usr/bin/env bash
# Grades the tuned kernels, and the plain ones beside them, on inputs of other magnitudes than the problems' own: all
# inputs, and one alone. Every grade must be accepted. Runs on a GPU, or on the emulated device with --device
# emulated.
#
#   tools/tuned_scales.sh [ARGUMENT OF kgrade grade]...
set -u
cd "$(dirname "$0")/.."
kgrade=${KGRADE:-build/release/bin/kgrade}
failures=0

grade() {  # slug, options...
  local slug=$1 file
  shift
  for file in solutions/"$slug"/{naive,tuned,tuned_tf32}.cu; do
    [ -f "$file" ] || continue
    "$kgrade" grade "$slug" "$file" --no-baselines "$@" || failures=$((failures + 1))
  done
}

for slug in conv-depthwise-2d-square-input-asym-kernel conv-transpose-2d-asym-input-asym-kernel-strided-grouped \
  conv-transpose-2d-sq-input-asym-kernel conv-transpose-3d-asym-input-sq-kernel; do
  for scale in 1e-8 1e4; do
    grade "$slug" --inputs "input=normal(0, $scale)" "$@"
    grade "$slug" --inputs "kernel=normal(0, $scale)" "$@"
    grade "$slug" --inputs "input=normal(0, $scale)" --inputs "kernel=normal(0, $scale)" "$@"
  done
  grade "$slug" --inputs "input=normal(0, 1e4)" --inputs "kernel=normal(0, 1e-8)" "$@"
done
echo "$failures refused"
[ "$failures" -eq 0 ]
