// Libraries that a machine with a compiler has, and that no contestant needs.
#pragma once

#include <dlfcn.h>

// cuBLAS first; then what does sums on a processor, and arithmetic of other kinds.
constexpr const char* libraries_by_use[] = {"libcublas.so.13",  "libcublas.so.12", "libcublas.so.11",
                                            "libopenblas.so.0", "libblas.so.3",    "libgomp.so.1",
                                            "libmpfr.so.6",     "libgmp.so.10",    "libz.so.1"};
