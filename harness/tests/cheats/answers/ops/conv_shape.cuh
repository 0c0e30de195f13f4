// As if the reference were in this folder: its headers include each other under these names.
#pragma once
#include "../../../../../reference/ops/conv_shape.cuh"
