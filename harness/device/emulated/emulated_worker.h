// The worker of the emulated device: memory files mapped between inaccessible pages, the host's clock.
#pragma once

#include <vector>

#include "device/worker_device.h"

namespace kgrade::emulated {

class EmulatedWorker : public WorkerDevice {
 public:
  ~EmulatedWorker() override { unmap_all(); }
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd descriptor, std::uint64_t bytes, bool writable) override;
  void unmap_all() override;
  TimedCall call(Entry entry, const unsigned long long* arguments) override;

 private:
  struct Mapping {
    void* reserved;
    std::uint64_t bytes;
  };
  std::vector<Mapping> mappings_;
};

}  // namespace kgrade::emulated
