// A plan: one of a library's ways to compute something.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace baseline {

// `Operands` are the tensors of one call.
template <class Operands>
class PlanFor {
 public:
  virtual ~PlanFor() = default;
  virtual std::string name() const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  // Sums of float32 products as in the definition: no transform, and no rounding of operands.
  virtual bool is_plain() const = 0;
  // Queues it. False if the library refuses.
  virtual bool run(const Operands& operands, void* workspace) = 0;
};

// Null if the library does not have such a plan after all. Called at most once, since creating a plan can
// take a second.
template <class Operands>
using PlanMakerFor = std::function<std::unique_ptr<PlanFor<Operands>>()>;

}  // namespace baseline
