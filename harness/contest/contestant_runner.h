// Runs one contestant: its worker, and the buffers lent for the current case.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "contest/arena.h"
#include "contest/computed_inputs.h"
#include "contest/python_host.h"
#include "device/device.h"

namespace kgrade {

// How long a worker may take to map what it is lent for a case.
constexpr Patience lending_patience{60'000};

class ContestantRunner {
 public:
  // Starts the worker, which prepares its device while the contestant is still being compiled.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem) {
    return start(device, problem, problem.libraries, ModuleLoading::eager);
  }
  // The same for a contestant with rules of its own about libraries.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem,
                                                         Libraries libraries, ModuleLoading loading);
  // The same for a contestant in Python, whose worker imports its packages and does not touch the device
  // before await_ready(). `host` must outlive the runner.
  static Result<std::unique_ptr<ContestantRunner>> start(Device& device, const Problem& problem,
                                                         const PythonHost& host);
  // Before load(): builds what the contestant asks for, in this worker and those that come in its place.
  void set_builder(ExtensionBuilder builder) { builder_ = std::move(builder); }
  // What holds the inputs that the problem's file computes, for all contestants; null: it computes none.
  void take_inputs_from(std::shared_ptr<ComputedInputs> computed) { computed_ = std::move(computed); }
  const std::shared_ptr<ComputedInputs>& computed_inputs() const { return computed_; }
  // Another runner, of the same kind.
  Result<std::unique_ptr<ContestantRunner>> start_another() const;
  // With a worker that was started some other way; `host` for one in Python, else null.
  static std::unique_ptr<ContestantRunner> with_worker(Device& device, const Problem& problem,
                                                       std::unique_ptr<WorkerProcess> worker,
                                                       const PythonHost* host = nullptr);

  // Of baselines in PyTorch, which share a worker: the calls from now on are of this one ("pytorch-tf32"), in
  // this worker and those that come in its place.
  Answer choose_variant(const std::string& variant);

  // Waits for the worker's device (once), then loads the contestant. A fault of the first is the machine's.
  Answer await_ready(Patience patience);
  Answer load(const std::filesystem::path& library, Patience patience);
  // A new worker in place of the present one, with the same contestant. An Error when none can be started.
  Result<Answer> start_anew(Patience ready_patience, Patience load_patience);
  // The same in two steps, so that several can prepare their devices at the same time.
  Errors begin_anew();
  Answer finish_anew(Patience ready_patience, Patience load_patience);

  // Compiles and tunes itself in its first calls: a contestant in Python.
  bool rehearses() const { return host_ != nullptr; }
  // The rehearsal is over. What the contestant says of it, in JSON of its own making, is in
  // report_of_rehearsal().
  Answer lock(Patience patience);
  const std::string& report_of_rehearsal() const { return report_; }

  // Buffers for a case; those of the case before go. An Error when the device has no room.
  Result<Answer> lend(const Case& bound, bool inputs_writable, LeaseTerms terms, Patience patience);
  // The buffers' memory is free once the worker has unmapped them, too.
  void take_back();
  // The same of all buffers, small ones too.
  Answer leave();
  // Between calls: what a contestant in Python keeps for its next tensors is free for others.
  Answer release_memory();
  // For a contestant that is trusted: small buffers stay and serve the next case, too.
  void keep_small_buffers() { keeps_small_buffers_ = true; }
  // Moves the tensors, fills in fresh poison, reveals the inputs and asks the worker (before that, where it
  // waits at a gate), then inspects guard zones and inputs. With `expected`, whose outputs are what this
  // one's should be, it compares them at once, and copies the inputs if they are of the same draw. `edit` may
  // write to inputs that are in place; the report then counts what it wrote as corruption.
  using Edit = std::function<void(Lease&)>;
  CallReport checked_call(const Draw& draw, std::uint64_t poison_key, std::uint32_t call, Patience patience,
                          const Lease* expected = nullptr, CallKind kind = {}, const Edit& edit = {});
  void retire() { worker_->retire(); }
  void kill() { worker_->kill(); }

  // Libraries that the worker has now (contest/mapped_libraries.h) and had not before it loaded the
  // contestant, sorted. None where that is not known.
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

  bool has_inputs(const Draw& draw, CallReport& report);
  static void see_answer(const Answer& answer, CallReport& report);
  void see_rest(const Answer& idle, CallReport& report);
  // A call that has begun: since when only the device and the worker are waited for, or the inputs too.
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
  bool queues_ahead() const { return calls_ > 0 && !waits_for_device_; }

  Device& device_;
  const Problem& problem_;
  Libraries libraries_;
  ModuleLoading loading_;
  const PythonHost* host_ = nullptr;  // of a contestant in Python
  ExtensionBuilder builder_;          // likewise
  std::shared_ptr<ComputedInputs> computed_;
  std::string report_;
  std::string variant_;  // of a baseline in PyTorch
  std::unique_ptr<WorkerProcess> worker_;
  std::filesystem::path library_;  // that was loaded last
  std::unique_ptr<Lease> lease_;
  bool is_lent_ = false;          // otherwise, what lease_ has is kept for another case
  bool inputs_writable_ = false;  // of the buffers in lease_
  bool keeps_small_buffers_ = false;
  std::unique_ptr<Gate> gate_;                 // null where the device has none
  bool is_ready_ = false;                      // the worker has prepared its device
  unsigned int own_threads_ = 0;               // of the worker before it loads the contestant
  std::optional<LibraryNames> own_libraries_;  // likewise
  int calls_ = 0;                              // on the present buffers
  bool waits_for_device_ = false;              // within these: nothing can be queued ahead
  struct CallsOfVariant {
    int calls = 0;
    bool waits_for_device = false;
  };
  std::map<std::string, CallsOfVariant> other_variants_;  // the same of those that are not chosen now
};

// Every output of one lease with its like of another.
std::vector<OutputErrors> compare_outputs(Lease& actual, const Lease& expected);

}  // namespace kgrade
