// PyTorch's header of this name, as far as an extension needs it.
#pragma once

#include "kgrade_extension/operators.h"
