// Stands in for PyTorch's header of the same name, and declares only what an extension needs.
#pragma once

#include "kgrade_extension/operators.h"
#include "kgrade_extension/dispatch.h"
