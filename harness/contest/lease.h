// The buffers of one case that one contestant works on: an allocation a tensor, with a guard zone on both
// sides. The referee fills and checks them; the worker has them only as long as they are lent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contest/worker_process.h"
#include "device/device.h"
#include "spec/case.h"

namespace kgrade {

// Bytes of guard zone at least on either side of a tensor; behind it, it reaches to the end of the buffer.
constexpr std::uint64_t guard_bytes = 4096;

struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
};

class Lease {
 public:
  // An Error when the device has no room.
  static Result<std::unique_ptr<Lease>> make(Device& device, const Problem& problem, const Case& bound,
                                             std::uint64_t element_bytes);

  // What all tensors of a case need on a device, guard zones included.
  static std::uint64_t bytes_needed(const Case& bound, std::uint64_t element_bytes);

  Answer lend_to(WorkerProcess& worker, bool inputs_writable, WorkerProcess::Patience patience);

  // Before a call: inputs of this draw, fresh random bits in outputs and guard zones.
  void refresh(const Draw& draw, std::uint64_t poison_key, std::uint32_t call);

  // After a call: what changed that should not have.
  struct Damage {
    std::uint64_t guard_bytes = 0;  // changed in guard zones
    std::string guard_tensor;       // the first tensor beside which they are
    std::uint64_t input_elements = 0;
    std::string input_tensor;
  };
  Damage inspect() const;

  CallSlots slots() const;

  struct Loaned {
    const Tensor* tensor;
    SharedBuffer* buffer;
    std::uint64_t begin;
  };
  std::vector<Loaned> outputs() const;
  std::uint64_t unwritten_elements(const Loaned& output) const;

  const Case& bound_case() const { return case_; }
  // All tensors in parameter order, inputs included.
  std::vector<Loaned> tensors() const;

 private:
  struct Loan {
    std::unique_ptr<SharedBuffer> buffer;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    RandomStream input;  // what the last refresh drew
    RandomStream poison;
  };

  Lease(Device& device, const Problem& problem, const Case& bound)
      : device_(device), problem_(problem), case_(bound) {}

  Device& device_;
  const Problem& problem_;
  const Case& case_;
  std::vector<Loan> loans_;  // as case_.tensors
};

}  // namespace kgrade
