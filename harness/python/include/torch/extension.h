// PyTorch's header of this name, as far as an extension needs it.
#pragma once

#include "kgrade_extension/dispatch.h"
#include "kgrade_extension/operators.h"
// A unit that defines no module is compiled faster without module.h.
#ifndef KGRADE_EXTENSION_WITHOUT_MODULE
#include "kgrade_extension/module.h"
#endif
