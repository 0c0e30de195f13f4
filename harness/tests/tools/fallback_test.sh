#!/usr/bin/env bash
# Tuned kernels also compile for GPUs before Hopper, with C++ versions of its instructions. Exit code 77: no nvcc.
# shellcheck disable=SC2016 # the inner shell expands its argument
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc") || { echo 'skipped: no nvcc' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export nvcc work

# With kgrade's flags, except those that only host code needs.
compile() { # candidate
  "$nvcc" -O3 -std=c++17 -gencode=arch=compute_80,code=sm_80 -cubin -o "$work/$BASHPID.cubin" "$1" \
    || { echo "FAILED: $1" >&2; return 1; }
}
export -f compile

cat >"$work/no_twin.cu" <<'EOF'
__global__ void release() { asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); }
EOF
if compile "$work/no_twin.cu" >/dev/null 2>&1; then
  echo 'FAILED: a Hopper instruction without a C++ version compiles' >&2
  exit 1
fi

# xargs exits with 123 if one fails.
printf '%s\0' "$root"/solutions/*/tuned*.cu | xargs -0 -n 1 -P 2 bash -c 'compile "$1"' compile
