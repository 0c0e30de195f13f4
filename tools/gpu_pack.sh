#!/usr/bin/env bash
# Packs what tools/build.sh --tests has built, with the shared libraries of this distribution that it loads, for a GPU
# machine without a network: unpacked into a checkout at the same path there, tools/gpu_check.sh --built runs it.
#   tools/gpu_pack.sh FILE.txz
# The build must look for libraries in a folder of its own (libfmt has another name in every distribution):
#   KGRADE_CMAKE_FLAGS="-DCMAKE_BUILD_RPATH=$PWD/build/release/packed" tools/build.sh --tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
archive=$(realpath -m "${1:?the archive to write}")
build=build/release packed=build/release/packed

mkdir -p "$packed"
find "$build" -name CMakeFiles -prune -o -type f -executable -print0 | xargs -0 file --mime-type |
  sed -n 's/: *application\/x-\(pie-executable\|executable\|sharedlib\)$//p' >"$packed/programs"
# What every CUDA machine has is not taken along, nor what makes up the system itself. Static programs fail in ldd.
{ xargs -d '\n' ldd <"$packed/programs" 2>/dev/null || true; } | awk '$3 ~ "^/" {print $3}' | sort -u |
  grep -E '/lib(fmt|yaml-cpp|gtest|gmock)' | xargs -r cp --dereference --target-directory "$packed"
tar --exclude=CMakeFiles --exclude='*.a' --exclude='*.o' --exclude='.ninja*' --exclude=test_cache --exclude=pip_cache \
  -cf - "$build" | xz -T0 -3 >"$archive"
echo "$(du -h "$archive" | cut -f1) $archive"
