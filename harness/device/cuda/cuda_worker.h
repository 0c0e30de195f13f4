// The workers of a CUDA device: the usual one for measuring, and one that runs below a tool.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/cuda/call_watch.h"
#include "device/cuda/virtual_memory.h"
#include "device/worker_device.h"

namespace kgrade::cuda {

// The contestant's library calls this after a failed launch (compile/nvcc_toolchain.h), through
// kgrade_launch_failed(), which the worker's program exports. `kernel`: the address by which CUDA's runtime
// knows the kernel. `grid` and `block`: three numbers each; null: unknown.
void note_failed_launch(int error, const void* kernel, const unsigned int* grid, const unsigned int* block,
                        std::size_t dynamic_shared);

// The usual worker. A call has these parts on the legacy default stream: the gate, start event, entries, stop
// event, capture of the outputs. The gate holds the stream until two conditions are met. All launches behind
// the gate are queued, so that their latency does not show between the events, and the referee has put the
// inputs in place. No kernel of the worker runs meanwhile, so only the referee uses the device.
class CudaWorker : public WorkerDevice {
 public:
  explicit CudaWorker(int ordinal) : ordinal_(ordinal) {}
  ~CudaWorker() override;
  bool prepare() override;
  bool adopt_gate(UniqueFd gate) override;
  void wait_at_gate(std::uint32_t gate) override;
  std::uint64_t map(UniqueFd descriptor, const Loan& loan) override;
  void unmap_all() override;
  bool set_capture_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) override {
    return captures_.set_length(launch, parameter, bytes);
  }
  void begin_call(Entry entry, Launches launches, std::uint32_t gate) override;
  std::optional<CallTimes> end_call() override;
  std::uint64_t settle() override;
  void evict_cache_lines() override;
  bool overwrite(std::uint64_t address, std::uint64_t bytes, unsigned char value) override;

 private:
  bool queue_before(std::uint32_t gate);
  bool queue_after(Launches launches);

  int ordinal_;
  std::shared_ptr<const Driver> driver_;
  std::vector<std::unique_ptr<MappedMemory>> mappings_;
  Captures captures_;
  void* gate_page_ = nullptr;
  CUdeviceptr gate_ = 0;   // 0: none
  void* start_ = nullptr;  // cudaEvent_t, like stop_ and captured_
  void* stop_ = nullptr;
  void* captured_ = nullptr;
  bool keeps_lines_ = false;  // the device can keep lines in its L2
  bool queued_ = false;       // everything of the present call is queued
  bool gated_ = false;        // the present call is gated
  int error_ = 0;             // returned by the call's entry
};

// The worker below a tool. compute-sanitizer knows the bounds of an allocation, and which bytes of it were
// written, only for memory of cudaMalloc, and a profiler saves and restores only such memory. So every call
// gets new copies that have exactly the tensors' sizes, and outputs are unwritten again. No kernel of kgrade
// runs in this process. Times have no meaning.
class CheckedCudaWorker : public WorkerDevice {
 public:
  // `watch` sees the second call; null: nothing does.
  explicit CheckedCudaWorker(int ordinal, std::unique_ptr<CallWatch> watch = nullptr)
      : ordinal_(ordinal), watch_(std::move(watch)) {}
  bool prepare() override;
  std::uint64_t map(UniqueFd descriptor, const Loan& loan) override;
  void unmap_all() override;
  bool set_capture_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) override {
    return captures_.set_length(launch, parameter, bytes);
  }
  void begin_call(Entry entry, Launches launches, std::uint32_t gate) override;
  std::optional<CallTimes> end_call() override { return timed_; }
  // Frees everything that is the worker's, so that the remaining allocations are the contestant's leaks.
  void conclude() override;

 private:
  struct Lent {
    std::unique_ptr<MappedMemory> memory;
    Loan loan;
    void* copy = nullptr;  // during a call

    unsigned char* tensor() const { return memory->data() + loan.begin; }
  };
  cudaError_t make_copies();
  bool take_copies_back();
  // `arguments`: as they are after the call. A contestant in Python may return memory that the worker did not
  // lend.
  bool capture_outputs(std::span<const unsigned long long> arguments);

  int ordinal_;
  std::unique_ptr<CallWatch> watch_;
  int calls_ = 0;
  std::shared_ptr<const Driver> driver_;
  std::vector<Lent> lent_;
  Captures captures_;
  std::vector<std::unique_ptr<MappedMemory>> captured_;
  std::optional<CallTimes> timed_;  // nothing if the worker's own device calls failed
};

}  // namespace kgrade::cuda
