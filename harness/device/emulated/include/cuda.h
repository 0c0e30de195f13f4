// The driver API's header. Submissions include it for CUDA_VERSION and out of habit; none of its functions
// are offered.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION 13000
