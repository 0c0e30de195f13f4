#!/usr/bin/env bash
# The core alone (-DKGRADE_CORE=ON) builds, has the commands that need no guest, and says what it lacks. With a GPU it grades a
# candidate. An argument names a folder that it is built in already. Exit code 77: no nvcc.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ] || { echo 'skipped: no nvcc' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${1:-$work/build}
if [ $# -eq 0 ]; then
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DKGRADE_CORE=ON >/dev/null
  cmake --build "$build" --parallel 2 >"$work/log" || { tail -n 50 "$work/log" >&2; exit 1; }
fi
kgrade=$build/bin/kgrade

fail() { echo "FAILED: $1" >&2; exit 1; }

commands=$("$kgrade" --help | sed -n '/^Subcommands:/,/^$/p' | sed -n 's/^  \([a-z]\+\) .*/\1/p' | tr '\n' ' ')
[ "$commands" = 'grade list show doctor cache completion man help print ' ] || fail "--help lists: $commands"
for program in kgrade-rewrite kgrade-worker-emulated kgrade-front; do
  [ ! -e "$build/bin/$program" ] || fail "$program is built"
done

grade() { "$kgrade" grade square-matmul "$root/solutions/square-matmul/naive.cu" "$@" >"$work/out" 2>"$work/err"; }

expect_exit_3() { # what is tried
  local code=0
  grade "${@:2}" || code=$?
  [ "$code" -eq 3 ] || fail "$1: exit code $code: $(cat "$work/out" "$work/err")"
}
expect_exit_3 'a device that this build lacks' --device emulated
grep -q '^error: this build has no emulated device' "$work/err" || fail "$(cat "$work/err")"
[ "$(grep -c '^  hint: ' "$work/err")" -eq 1 ] || fail "not one message with its remedy: $(cat "$work/err")"

if "$kgrade" doctor >"$work/doctor"; then
  grade --case tiny || fail "$(cat "$work/out" "$work/err")"
else
  grep -q '^Grading on a GPU: *not ready$' "$work/doctor" || fail "$(cat "$work/doctor")"
  expect_exit_3 'without a GPU'
  grep -q 'no CUDA device' "$work/err" || fail "$(cat "$work/err")"
fi
echo "the core alone: $commands"
