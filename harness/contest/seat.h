// One contestant: its worker, and the buffers lent for the current case.
#pragma once

#include <filesystem>
#include <memory>

#include "contest/arena.h"
#include "device/device.h"

namespace kgrade {

class Seat {
 public:
  // Starts the worker, which prepares its device while the contestant is still being compiled.
  static Result<std::unique_ptr<Seat>> take(Device& device, const Problem& problem);
  // With a worker that was started some other way.
  static std::unique_ptr<Seat> take_with(Device& device, const Problem& problem,
                                         std::unique_ptr<WorkerProcess> worker);

  // Waits for the worker's device, then loads the contestant. A fault of the first is the machine's.
  Answer await_ready(Patience patience) { return worker_->give_back(patience); }
  Answer load(const std::filesystem::path& library, Patience patience) {
    return worker_->load(library, patience);
  }

  // Buffers for a case; those of the case before go. An Error when the device has no room.
  Result<Answer> sit(const Case& bound, bool inputs_writable, Patience patience);
  void rise() { lease_.reset(); }
  // Inputs drawn anew and poison refreshed, the worker asked, then guard zones and inputs looked at.
  CallReport checked_call(const Draw& draw, std::uint64_t poison_key, std::uint32_t call, Patience patience);
  void retire() { worker_->retire(); }

  bool alive() const { return worker_->alive(); }
  Lease& lease() { return *lease_; }
  WorkerProcess& worker() { return *worker_; }

 private:
  Seat(Device& device, const Problem& problem, std::unique_ptr<WorkerProcess> worker)
      : device_(device), problem_(problem), worker_(std::move(worker)) {}

  Device& device_;
  const Problem& problem_;
  std::unique_ptr<WorkerProcess> worker_;
  std::unique_ptr<Lease> lease_;
};

// Every output of one lease with its like of another.
std::vector<OutputComparison> compare_outputs(Device& device, const Lease& actual, const Lease& expected);

}  // namespace kgrade
