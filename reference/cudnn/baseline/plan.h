// A plan of cuDNN's for a convolution.
#pragma once

#include "vendor/plan.h"

namespace baseline {

// The tensors of one call: two are read, one is written (Convolution::made). Of `image` and `response`, only
// that one is ever written, although cuDNN takes all of them as void*.
struct Operands {
  float* image = nullptr;
  float* filter = nullptr;
  float* response = nullptr;
};

using Plan = PlanFor<Operands>;
using PlanMaker = PlanMakerFor<Operands>;

}  // namespace baseline
