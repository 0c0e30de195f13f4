// A plan of cuBLAS's for a product.
#pragma once

#include "vendor/plan.h"

namespace baseline {

// The tensors of one call.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  float* output = nullptr;
};

using Plan = PlanFor<Operands>;
using PlanMaker = PlanMakerFor<Operands>;

inline constexpr float one = 1;
inline constexpr float zero = 0;

}  // namespace baseline
