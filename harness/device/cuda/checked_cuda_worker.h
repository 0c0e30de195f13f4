// The worker of a CUDA device below compute-sanitizer, whose tools know the bounds of an allocation and what
// of it was written only for memory of cudaMalloc: every call gets copies of exactly the tensors' sizes, new
// ones each time, so that outputs are unwritten again. Nothing of ours runs a kernel; times mean nothing.
#pragma once

#include <memory>
#include <vector>

#include "device/cuda/virtual_memory.h"
#include "device/worker_device.h"

namespace kgrade::cuda {

class CheckedCudaWorker : public WorkerDevice {
 public:
  explicit CheckedCudaWorker(int ordinal) : ordinal_(ordinal) {}
  bool prepare() override;
  std::uint64_t map(UniqueFd descriptor, const LentBuffer& buffer) override;
  void unmap_all() override { loans_.clear(); }
  void begin_call(Entry entry, Launches launches, std::uint32_t gate) override;
  TimedCall end_call() override { return timed_; }
  // What is still allocated in the end are the contestant's leaks.
  void conclude() override;

 private:
  struct Loan {
    std::unique_ptr<MappedMemory> memory;
    LentBuffer terms;
    void* copy = nullptr;  // during a call

    unsigned char* tensor() const { return memory->data() + terms.begin; }
  };
  bool make_copies();
  bool take_copies_back();

  int ordinal_;
  std::shared_ptr<const Driver> driver_;
  std::vector<Loan> loans_;
  TimedCall timed_;
};

}  // namespace kgrade::cuda
