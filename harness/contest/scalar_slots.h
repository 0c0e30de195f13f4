// The arguments of a call are sent to a worker in slots of 64 bits, one per parameter of the entry point
// (contest/worker_process.h). This file fills the slots of the scalars with their values in a case.
#pragma once

#include "contest/worker_process.h"
#include "problem/case.h"

namespace kgrade {

// The bits of the scalars, by parameter, and 0 for tensors. Scalars of type [VAR] are stored as `stored_as`.
CallSlots slots_of_scalars(const Problem& problem, const Case& bound, Dtype stored_as);

}  // namespace kgrade
