// A product of matrices, with the fastest of cuBLAS's plans.
#pragma once

#include <iterator>
#include <vector>

#include "baseline/blas_plans.h"
#include "baseline/library.h"
#include "baseline/light_plans.h"
#include "baseline/plan.h"
#include "baseline/product.h"
#include "vendor/search.h"

namespace baseline {

// What cuBLAS takes by itself comes first: a search of large products may end before the last.
inline std::vector<PlanMaker> plans_of(const Product& product) {
  std::vector<PlanMaker> makers = blas_plans(product);
  std::vector<PlanMaker> more = light_plans(column_major(product));
  std::move(more.begin(), more.end(), std::back_inserter(makers));
  return makers;
}

inline void multiply(const Product& product, const float* a, const float* b, float* output) {
  static Plans<Operands> plans;
  if (handle() == nullptr) return fail("cuBLAS cannot be used");
  const Operands operands = {a, b, output};
  Plan* const plan =
      plans.plan_for(product.key(), operands, output, product.elements(), [&] { return plans_of(product); });
  if (plan == nullptr || !plan->run(operands, workspace().data())) fail("no plan for this product");
}

}  // namespace baseline
