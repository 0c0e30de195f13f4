// The referee's table: one seat a contestant, and the one kind of call there is. Every call, timed or not, is
// the same: inputs drawn anew, outputs and guard zones filled with fresh random bits, the worker asked, then
// guard zones and inputs checked; comparing the outputs is a step of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "contest/lease.h"
#include "contest/worker_process.h"
#include "device/device.h"
#include "spec/case.h"

namespace kgrade {

// All that the referee saw of one call.
struct CallReport {
  Fault fault = Fault::none;
  std::string detail;   // of a fault
  int cuda_error = 0;   // that the call left; see the CUDA Runtime API, cudaError_t
  double elapsed_ms = 0;  // as the worker's device events say
  double wall_ms = 0;     // by the referee's clock
  bool latency_hidden = false;
  Lease::Damage damage;
};

struct OutputComparison {
  std::string tensor;
  std::vector<std::int64_t> shape;
  Comparison comparison;
};

// One contestant: its worker, and the buffers lent for the current case.
class Seat {
 public:
  using Patience = WorkerProcess::Patience;

  // Starts the worker, which prepares its device while the contestant is still being compiled.
  static Result<std::unique_ptr<Seat>> take(Device& device, const Problem& problem);

  // Waits for the worker's device, then loads the contestant. A fault of the first is the machine's.
  Answer await_ready(Patience patience) { return worker_->give_back(patience); }
  Answer load(const std::filesystem::path& library, Patience patience) { return worker_->load(library, patience); }

  // Buffers for a case; those of the case before go. An Error when the device has no room.
  Result<Answer> sit(const Case& bound, bool inputs_writable, Patience patience);
  void rise() { lease_.reset(); }
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

class Referee {
 public:
  Referee(Device& device, const Problem& problem);

  CallReport call(Seat& seat, const Draw& draw, Seat::Patience patience);

  // Compares every output of `seat` with what the oracle's seat holds.
  std::vector<OutputComparison> compare(Seat& seat, Seat& oracle);

  // After a comparison that failed: how many elements of an output differ by more than `limit`, and how many
  // were never written. `output` counts the outputs.
  std::uint64_t count_wrong(Seat& seat, Seat& oracle, std::size_t output, double limit);
  std::uint64_t count_unwritten(Seat& seat, std::size_t output);

  // What a contestant that died in a call was about: the same call in a fresh worker that may write to its
  // inputs. Says which inputs or guard zones it then changes.
  Lease::Damage diagnose(const std::filesystem::path& library, const Case& bound, const Draw& draw,
                         Seat::Patience patience);

 private:
  Device& device_;
  const Problem& problem_;
  std::uint64_t poison_key_;  // never leaves this process
  std::uint32_t calls_ = 0;
};

}  // namespace kgrade
