// A convolution, or a transposed one, with the fastest of cuDNN's plans.
#pragma once

#include <cudnn_backend.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "baseline/channels_last.h"
#include "baseline/graph_plans.h"
#include "baseline/legacy_plans.h"
#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/shape.h"
#include "vendor/search.h"

namespace baseline {

// All plans that cuDNN offers, the likely ones first: a search may end before the last.
inline std::vector<PlanMaker> plans_of(const Convolution& shape) {
  const auto plain = std::make_shared<const ConvolutionGraph>(shape, Order::channels_first);
  const auto last = std::make_shared<const ConvolutionGraph>(shape, Order::channels_last);
  std::vector<std::string> seen_plain;
  std::vector<std::string> seen_last;
  std::vector<PlanMaker> makers;
  const auto add = [&makers](std::vector<PlanMaker> more) {
    std::move(more.begin(), more.end(), std::back_inserter(makers));
  };
  const auto add_first = [&](cudnnBackendHeurMode_t mode) { add(graph_plans(plain, mode, seen_plain)); };
  const auto add_last = [&](cudnnBackendHeurMode_t mode) {
    std::vector<PlanMaker> inner = graph_plans(last, mode, seen_last);
    for (PlanMaker& make : inner) make = in_channels_last(shape, std::move(make));
    add(std::move(inner));
  };
  add_first(CUDNN_HEUR_MODE_A);
  // Few, created immediately, and including Fourier transforms.
  add(legacy_plans(shape));
  add_last(CUDNN_HEUR_MODE_A);
  for (const auto mode : {CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
    add_first(mode);
    add_last(mode);
  }
  return makers;
}

// Computes `output` from `input` and `kernel`, all of them row-major. False if cuDNN cannot.
inline bool convolve(const Convolution& shape, const float* input, const float* kernel, float* output) {
  static Plans<Operands> plans;
  if (handle() == nullptr) return false;
  Operands operands;
  // cuDNN takes every pointer as void*, and writes only to the output.
  operands.filter = const_cast<float*>(kernel);
  (shape.backward ? operands.response : operands.image) = const_cast<float*>(input);
  (shape.backward ? operands.image : operands.response) = output;
  Plan* const plan =
      plans.plan_for(shape.key(), operands, output, count(shape.made()), [&] { return plans_of(shape); });
  return plan != nullptr && plan->run(operands, workspace().data());
}

}  // namespace baseline
