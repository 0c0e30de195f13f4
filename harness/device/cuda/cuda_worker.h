// The worker of a CUDA device. A call is flush, spin, start event, entry, stop event on the legacy default
// stream; the spin kernel holds the stream until the launches behind it are queued, so that the latency of
// the launches does not show in the time between the events.
#pragma once

#include <memory>
#include <vector>

#include "device/cuda/virtual_memory.h"
#include "device/worker_device.h"

namespace kgrade::cuda {

class CudaWorker : public WorkerDevice {
 public:
  explicit CudaWorker(int ordinal) : ordinal_(ordinal) {}
  ~CudaWorker() override;
  bool prepare() override;
  std::uint64_t map(UniqueFd descriptor, const LentBuffer& buffer) override;
  void unmap_all() override;
  TimedCall call(Entry entry, const unsigned long long* arguments) override;

 private:
  bool queue_before(bool hide_latency);
  bool finish(TimedCall& result);

  int ordinal_;
  std::shared_ptr<const Driver> driver_;
  std::vector<std::unique_ptr<MappedMemory>> mappings_;
  void* flush_buffer_ = nullptr;
  std::uint64_t flush_bytes_ = 0;
  struct SpinFlag;
  SpinFlag* spin_flag_ = nullptr;  // host memory that the device reads and writes
  void* start_ = nullptr;          // cudaEvent_t
  void* stop_ = nullptr;
  int calls_ = 0;
  bool synchronises_ = false;  // the contestant waits for the device itself: nothing can be queued ahead
};

}  // namespace kgrade::cuda
