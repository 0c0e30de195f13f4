// Runs one contestant: its worker, and the buffers lent to it for the current case.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "contest/computed_inputs.h"
#include "contest/lease.h"
#include "contest/python_host.h"
#include "contest/worker_process.h"
#include "device/device.h"

namespace kgrade {

using Patience = WorkerProcess::Patience;

// Our own contestants may be slow, but they always end.
constexpr Patience trusted_patience{300'000};

struct OutputErrors {
  std::string tensor;
  std::vector<std::int64_t> shape;
  ElementErrors errors;
  Comparison::Kind compare = Comparison::Kind::norm;
};

// How a call is made.
struct CallKind {
  // Whether launches are queued before the inputs are there. This needs a device with a gate, and a
  // contestant that was not seen to wait for the device. Otherwise no launch is queued ahead, and the
  // worker's thread waits at the gate, if there is one.
  bool ahead = true;
  // Whether outputs are captured when the clock stops, and the captures are compared. If not, only one
  // element of each output is captured, and outputs are compared as they are when the device works for the
  // referee again.
  bool captures = true;
};

// All that the referee saw of one call.
struct CallReport {
  Fault fault = Fault::none;
  std::string detail;  // describes the fault, or else the failed launch (describe_launch())
  // The problem's file failed to compute the inputs, so there was no call.
  bool lacks_inputs = false;
  CallTimes call;          // as the worker reports it
  double prepared_ms = 0;  // by the referee's clock, until all was ready (at a gate: all except the inputs)
  double wall_ms = 0;      // by the referee's clock, from then on until the answer arrived
  // By the referee's clock on the device: from the moment when the inputs were there until the device could
  // work for the referee again.
  double settled_ms = 0;
  bool queued = false;       // the call waited at its gate with its launches queued, as the worker reports
  bool keeps_lines = false;  // the device's cache keeps lines for the contestant, as the worker reports
  unsigned int processes_left = 0;  // processes that the contestant has started
  unsigned int threads_left = 0;    // threads of its process that were started while it was loaded or called
  double waited_ms = 0;             // how long the device was busy before the call was prepared
  Lease::Corruption corruption;
  // The outputs, compared with those of the oracle's latest call. Empty for the oracle's own calls.
  std::vector<OutputErrors> outputs;
};

// How long a worker may take to map the buffers lent for a case.
constexpr Patience lending_patience{60'000};

class ContestantRunner {
 public:
  // Starts the worker, which prepares its device while the contestant is still being compiled.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem) {
    return start(device, problem, problem.libraries, ModuleLoading::eager);
  }
  // For a contestant with its own rules for libraries.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem,
                                                         Libraries libraries, ModuleLoading loading);
  // For a contestant in Python. Its worker imports packages and does not touch the device before
  // await_ready(). `host` must outlive the runner.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem,
                                                         const PythonHost& host);
  // Call before load(). Builds what the contestant asks for, in this worker and in its replacements.
  void set_builder(ExtensionBuilder builder) { builder_ = std::move(builder); }
  // Holds the inputs that the problem's file computes, for all contestants; null if it computes none.
  void take_inputs_from(std::shared_ptr<ComputedInputs> computed) { computed_ = std::move(computed); }
  const std::shared_ptr<ComputedInputs>& computed_inputs() const { return computed_; }
  // Another runner of the same kind, not loaded yet.
  Result<std::unique_ptr<ContestantRunner>> start_another() const;
  // Uses a worker that was started some other way. `host` is null unless the contestant is in Python.
  static std::unique_ptr<ContestantRunner> with_worker(Device& device, const Problem& problem,
                                                       std::unique_ptr<WorkerProcess> worker,
                                                       const PythonHost* host = nullptr);

  // For baselines in PyTorch, which share a worker: calls from now on run this one ("pytorch-tf32"), also in
  // a replacement of the worker.
  Answer choose_variant(const std::string& variant);

  // await_ready() waits for the worker's device, once; a fault is the machine's. load() also loads the
  // contestant.
  Answer await_ready(Patience patience);
  Answer load(const std::filesystem::path& library, Patience patience);
  // Starts a new worker in place of the present one, with the same contestant. An Error if none can be
  // started.
  Result<Answer> start_anew(Patience ready_patience, Patience load_patience);
  // start_anew() in two steps, so that several runners can prepare their devices at the same time.
  Errors begin_anew();
  Answer finish_anew(Patience ready_patience, Patience load_patience);

  // Whether the contestant compiles and tunes itself in its first calls: one in Python does.
  bool rehearses() const { return host_ != nullptr; }
  // Ends the rehearsal. report_of_rehearsal() is the contestant's own account of it, in JSON.
  Answer lock(Patience patience);
  const std::string& report_of_rehearsal() const { return report_; }

  // Lends buffers for a case in place of the previous case's. An Error when the device has no room.
  Result<Answer> lend(const Case& bound, bool inputs_writable, LeaseTerms terms, Patience patience);
  // Takes the buffers back. Their memory is free once the worker has unmapped them.
  void take_back();
  // Takes all buffers back, small ones too.
  Answer leave();
  // Between calls: frees the memory that a contestant in Python keeps for its next tensors.
  Answer release_memory();
  // For a trusted contestant: small buffers stay lent and serve the next case too.
  void keep_small_buffers() { keeps_small_buffers_ = true; }
  // Moves the tensors, fills in fresh poison and the inputs, asks the worker, then inspects guard zones and
  // inputs. A worker that waits at a gate is asked before the inputs are filled in. With `expected`, compares
  // the outputs with its outputs at once, and copies its inputs if they are of the same draw. `edit` may
  // write to the inputs in place; the report then counts what it wrote as corruption.
  using Edit = std::function<void(Lease&)>;
  CallReport checked_call(const Draw& draw, std::uint64_t poison_key, std::uint32_t call, Patience patience,
                          const Lease* expected = nullptr, CallKind kind = {}, const Edit& edit = {});
  void retire() { worker_->retire(); }
  void kill() { worker_->kill(); }

  // Sorted names of the libraries that the worker has now (contest/worker_tree.h) and did not have
  // before it loaded the contestant. Empty if unknown.
  std::vector<std::string> opened_libraries() const;

  bool alive() const { return worker_->alive(); }
  bool has_lease() const { return is_lent_; }
  Lease& lease() { return *lease_; }
  WorkerProcess& worker() { return *worker_; }

 private:
  ContestantRunner(Device& device, const Problem& problem, Libraries libraries, ModuleLoading loading,
                   std::unique_ptr<WorkerProcess> worker)
      : device_(device),
        problem_(problem),
        libraries_(libraries),
        loading_(loading),
        worker_(std::move(worker)) {}

  void see_rest(const Answer& idle, CallReport& report);
  // A call that has begun. From `at` on only the device and the worker are waited for, and at a gate the
  // inputs too.
  struct Begun {
    std::chrono::steady_clock::time_point at;
    Answer answer;
  };
  // Chooses what the call finds in its buffers.
  using Prepare = std::function<void()>;
  Begun begin(const Prepare& prepare, const Edit& edit, CallReport& report);
  Begun begin_at_gate(const Prepare& prepare, GateWaiter waiter, CallReport& report);
  // Messages to the worker while no clock runs.
  using Message = std::function<Answer(WorkerProcess&)>;
  void send(const Message& message, CallReport& report);
  Answer tell_variant(Patience patience);

  Device& device_;
  const Problem& problem_;
  Libraries libraries_;
  ModuleLoading loading_;
  const PythonHost* host_ = nullptr;                 // null if not in Python
  std::map<std::string, std::size_t> case_numbers_;  // by name, in the order in which cases were lent
  ExtensionBuilder builder_;                         // for a contestant in Python
  std::shared_ptr<ComputedInputs> computed_;
  std::string report_;
  std::string variant_;  // the chosen baseline in PyTorch
  std::unique_ptr<WorkerProcess> worker_;
  std::filesystem::path library_;  // loaded last
  std::unique_ptr<Lease> lease_;
  bool is_lent_ = false;          // if false, lease_ is kept for another case
  bool inputs_writable_ = false;  // for the buffers in lease_
  bool keeps_small_buffers_ = false;
  std::unique_ptr<Gate> gate_;                 // null if the device has none
  bool is_ready_ = false;                      // the worker has prepared its device
  unsigned int own_threads_ = 0;               // threads of the worker before it loads the contestant
  std::optional<LibraryNames> own_libraries_;  // libraries of the worker before it loads the contestant
  int calls_ = 0;                              // on the present buffers
  bool waits_for_device_ = false;              // in these calls: nothing can be queued ahead
  struct CallsOfVariant {
    int calls = 0;
    bool waits_for_device = false;
  };
  std::map<std::string, CallsOfVariant> other_variants_;  // of the variants that are not chosen now
};

// Compares every output of one lease with the same output of another.
std::vector<OutputErrors> compare_outputs(Lease& actual, const Lease& expected);

}  // namespace kgrade
