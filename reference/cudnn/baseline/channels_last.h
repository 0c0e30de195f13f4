// Plans that compute in channels-last order, which tensor cores prefer. The tensors are transposed to that
// order and back within the call.
#pragma once

#include <memory>
#include <string>

#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/shape.h"
#include "vendor/kernels.h"

namespace baseline {

// A tensor (a, channels, positions) as (a, positions, channels), and back.
inline bool to_channels_last(const float* from, float* to, const Extents& extents) {
  return transpose(from, to, extents[0], extents[1], count(extents) / (extents[0] * extents[1]));
}
inline bool from_channels_last(const float* from, float* to, const Extents& extents) {
  return transpose(from, to, extents[0], count(extents) / (extents[0] * extents[1]), extents[1]);
}

// Wraps another plan, which works in channels-last order, in these transpositions.
class ChannelsLastPlan : public Plan {
 public:
  ChannelsLastPlan(const Convolution& shape, std::unique_ptr<Plan> plan)
      : shape_(shape), plan_(std::move(plan)) {}

  std::string name() const override { return plan_->name() + ", channels last"; }
  std::size_t workspace_bytes() const override {
    return aligned(bytes_of(shape_.image)) + aligned(bytes_of(shape_.filter)) +
           aligned(bytes_of(shape_.response)) + plan_->workspace_bytes();
  }
  bool is_plain() const override { return plan_->is_plain(); }

  bool run(const Operands& operands, void* memory) override {
    char* next = static_cast<char*>(memory);
    const auto take = [&next](const Extents& extents) {
      float* const taken = reinterpret_cast<float*>(next);
      next += aligned(bytes_of(extents));
      return taken;
    };
    const Operands inner = {take(shape_.image), take(shape_.filter), take(shape_.response)};
    if (!to_channels_last(operands.filter, inner.filter, shape_.filter)) return false;
    if (shape_.backward) {
      return to_channels_last(operands.response, inner.response, shape_.response) &&
             plan_->run(inner, next) && from_channels_last(inner.image, operands.image, shape_.image);
    }
    return to_channels_last(operands.image, inner.image, shape_.image) && plan_->run(inner, next) &&
           from_channels_last(inner.response, operands.response, shape_.response);
  }

 private:
  Convolution shape_;
  std::unique_ptr<Plan> plan_;
};

inline PlanMaker in_channels_last(const Convolution& shape, PlanMaker inner) {
  return [shape, inner = std::move(inner)]() -> std::unique_ptr<Plan> {
    auto plan = inner();
    if (plan == nullptr) return nullptr;
    return std::make_unique<ChannelsLastPlan>(shape, std::move(plan));
  };
}

}  // namespace baseline
