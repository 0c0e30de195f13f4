// The worker of the emulated device: memory files mapped between inaccessible pages, the host's clock.
#pragma once

#include <vector>

#include "device/finding_book.h"
#include "device/worker_device.h"

namespace kgrade::emulated {

class EmulatedWorker : public WorkerDevice {
 public:
  ~EmulatedWorker() override { unmap_all(); }
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd descriptor, const LentBuffer& buffer) override;
  void unmap_all() override;
  TimedCall call(Entry entry, const unsigned long long* arguments) override;
  bool watch(UniqueFd book) override;
  void has_loaded(Entry entry) override;

 private:
  struct Mapping {
    void* reserved;
    std::uint64_t bytes;
  };
  std::vector<Mapping> mappings_;
  FindingBook* book_ = nullptr;  // of a checked run; stays mapped for as long as the process lives
};

}  // namespace kgrade::emulated
