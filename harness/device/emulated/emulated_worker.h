// The worker of the emulated device: memory files mapped between inaccessible pages, the host's clock, and
// the limits of its process.
#pragma once

#include <optional>
#include <vector>

#include "device/emulated/runtime/emulated_runtime.h"
#include "device/finding_book.h"
#include "device/worker_device.h"

namespace kgrade::emulated {

// The kinds of contestant that a checked run distinguishes.
enum class Contestants { libraries, in_python };

class EmulatedWorker : public WorkerDevice {
 public:
  explicit EmulatedWorker(Contestants contestants = Contestants::libraries) : contestants_(contestants) {}
  ~EmulatedWorker() override { unmap_all(); }
  bool prepare() override;
  std::uint64_t map(UniqueFd descriptor, const Loan& loan) override;
  void unmap_all() override;
  bool maps_files() const override { return true; }
  bool set_capture_length(std::uint32_t launch, std::uint32_t parameter, std::uint64_t bytes) override {
    return captures_.set_length(launch, parameter, bytes);
  }
  void begin_call(Entry entry, Launches launches, std::uint32_t gate) override;
  std::optional<CallTimes> end_call() override { return timed_; }
  bool watch(UniqueFd book) override;
  void has_loaded(Entry entry) override;
  bool overwrite(std::uint64_t address, std::uint64_t bytes, unsigned char value) override;

 private:
  struct Mapping {
    void* reserved;
    std::uint64_t bytes;
  };
  Contestants contestants_;
  std::vector<Mapping> mappings_;
  Captures captures_;
  CallTimes timed_;
  FindingBook* book_ = nullptr;  // set in a checked run; stays mapped until the process ends
};

// Sets the process's limits (runtime/limits.h), before the contestant is loaded. Calls `on_excess` when a
// contestant exceeds the limit of memory or of a stack.
void limit_contestant(kgrade_emulated::LimitHandler on_excess);

}  // namespace kgrade::emulated
