#!/usr/bin/env bash
# Packs the build of tools/build.sh --tests, with the shared libraries that it loads from this distribution, for a GPU
# machine without a network. Unpack it there into a checkout at the same path, and run tools/gpu_check.sh --built.
#   tools/gpu_pack.sh FILE.txz
# The build must look for libraries in its own folder, because libfmt has a different name in every distribution:
#   KGRADE_CMAKE_FLAGS="-DCMAKE_BUILD_RPATH=$PWD/build/release/packed" tools/build.sh --tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
archive=$(realpath -m "${1:?the archive to write}")
build=build/release packed=build/release/packed

mkdir -p "$packed"
find "$build" -name CMakeFiles -prune -o -type f -executable -print0 | xargs -0 file --mime-type |
  sed -n 's/: *application\/x-\(pie-executable\|executable\|sharedlib\)$//p' >"$packed/programs"
# Libraries that every CUDA machine has, and the system's own, are not packed. ldd fails for static programs.
{ xargs -d '\n' ldd <"$packed/programs" 2>/dev/null || true; } | awk '$3 ~ "^/" {print $3}' | sort -u |
  grep -E '/lib(fmt|yaml-cpp|gtest|gmock)' | xargs -r cp --dereference --target-directory "$packed"
tar --exclude=CMakeFiles --exclude='*.a' --exclude='*.o' --exclude='.ninja*' --exclude=test_cache --exclude=pip_cache \
  -cf - "$build" | xz -T0 -3 >"$archive"
echo "$(du -h "$archive" | cut -f1) $archive"
