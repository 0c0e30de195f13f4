// CUDA for the host's C++ compiler: everything that a .cu file may use without an #include, since nvcc
// includes its own file of this name before every source. Written from the CUDA C++ Programming Guide and the
// CUDA Runtime API manual; the functions that are only declared here are in harness/device/emulated/runtime.
#pragma once

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif

// nvcc's own header includes these, and sources rely on it.
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/api_errors.h"
#include "kgrade_emulated/api_functions.h"
#include "kgrade_emulated/api_memory.h"
#include "kgrade_emulated/api_streams.h"
#include "kgrade_emulated/atomics.h"
#include "kgrade_emulated/block.h"
#include "kgrade_emulated/integer_functions.h"
#include "kgrade_emulated/launch.h"
#include "kgrade_emulated/math_functions.h"
#include "kgrade_emulated/memory_access.h"
#include "kgrade_emulated/qualifiers.h"
#include "kgrade_emulated/rounded_arithmetic.h"
#include "kgrade_emulated/shared.h"
#include "kgrade_emulated/simd_functions.h"
#include "kgrade_emulated/synchronisation.h"
#include "kgrade_emulated/warp.h"
#include "library_types.h"
#include "vector_functions.h"
#include "vector_types.h"
