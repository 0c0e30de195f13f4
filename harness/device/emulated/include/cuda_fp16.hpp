// What a program that includes this name means is in cuda_fp16.h.
#pragma once

#include "cuda_fp16.h"
