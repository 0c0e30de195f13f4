// Libraries that a machine with a compiler has and no contestant needs.
#pragma once

#include <dlfcn.h>

// cuBLAS first, then libraries for sums on a processor and for other kinds of arithmetic.
constexpr const char* libraries_by_use[] = {"libcublas.so.13",  "libcublas.so.12", "libcublas.so.11",
                                            "libopenblas.so.0", "libblas.so.3",    "libgomp.so.1",
                                            "libmpfr.so.6",     "libgmp.so.10",    "libz.so.1"};
