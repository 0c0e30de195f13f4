// Replaces PyTorch's header of this name. It has only what extensions need.
#pragma once

#include "kgrade_extension/cuda.h"
