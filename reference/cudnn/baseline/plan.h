// A plan: one of cuDNN's ways to compute a convolution.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace baseline {

// The tensors of one call: two are read, one is written (Convolution::made). Of `image` and `response`, only
// that one is ever written, although cuDNN takes all of them as void*.
struct Operands {
  float* image = nullptr;
  float* filter = nullptr;
  float* response = nullptr;
};

// One way to compute a convolution.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual std::string name() const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  // Sums of float32 products as in the definition: no transform, and no rounding of operands.
  virtual bool is_plain() const = 0;
  // Queues it. False if cuDNN refuses.
  virtual bool run(const Operands& operands, void* workspace) = 0;
};

// Null if cuDNN does not have such a plan after all. Called at most once, since creating a plan can take a
// second.
using PlanMaker = std::function<std::unique_ptr<Plan>()>;

}  // namespace baseline
