// A plan: one of cuDNN's ways to compute a convolution.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace baseline {

// Of one call: two of them are read, one is written (Convolution::made). Of `image` and `response` only the
// one that is made is ever written, although cuDNN takes them all as void*.
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
  // Sums of float32 products as they stand in the definition: no transform, nothing rounded in between.
  virtual bool is_plain() const = 0;
  // Queues it. False when cuDNN refuses.
  virtual bool run(const Operands& operands, void* workspace) = 0;
};

// Null when cuDNN has no such plan after all. Called once at most, since making one can take a second.
using PlanMaker = std::function<std::unique_ptr<Plan>()>;

}  // namespace baseline
