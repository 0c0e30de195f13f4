// What a program that includes this name means is in cuda_bf16.h.
#pragma once

#include "cuda_bf16.h"
