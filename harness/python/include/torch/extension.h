// Stands in for PyTorch's header of the same name, and declares only what an extension needs.
#pragma once

#include "kgrade_extension/dispatch.h"
#include "kgrade_extension/operators.h"
// A unit that defines no module is compiled faster without module.h.
#ifndef KGRADE_EXTENSION_WITHOUT_MODULE
#include "kgrade_extension/module.h"
#endif
