// In CUDA a part of cuda_runtime.h; here the whole of it.
#pragma once

#include "cuda_runtime.h"
