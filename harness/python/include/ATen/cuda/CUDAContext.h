// Stands in for PyTorch's header of the same name, and declares only what an extension needs.
#pragma once

#include "kgrade_extension/cuda.h"
