// What a program that includes this name means is in cuda_fp8.h.
#pragma once

#include "cuda_fp8.h"
