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

// What cuBLAS computes is alpha times the product, plus beta times the output as it was.
inline constexpr float alpha = 1;
inline constexpr float beta = 0;

}  // namespace baseline
