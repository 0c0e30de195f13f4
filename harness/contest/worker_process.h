// The referee's handle on one worker. The worker is started with a clean environment and its own process
// group, asked over the connection, and killed as a whole. After any fault it is dead and must be started
// anew.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/unique_fd.h"
#include "contest/protocol.h"
#include "contest/python_host.h"
#include "contest/worker_tree.h"
#include "device/device.h"
#include "device/gate.h"

namespace kgrade {

class Zygote;

struct Answer {
  Fault fault = Fault::none;
  std::string detail;  // describes the fault
  Reply reply;         // when there is no fault
  // When the answer arrived, by the referee's clock.
  std::chrono::steady_clock::time_point arrived;

  bool ok() const { return fault == Fault::none; }
};

// The slots of a call: offsets of tensors, bits of scalars, in parameter order.
struct CallSlots {
  struct Slot {
    bool tensor = false;
    std::uint64_t value = 0;

    bool operator==(const Slot&) const = default;
  };
  std::vector<Slot> slots;
  std::uint64_t seed = 0;  // of the random numbers that a problem's file draws in its forward

  bool operator==(const CallSlots&) const = default;
};

// When kernels are loaded onto the device: all with their library, or each with its first launch. A vendor's
// library has thousands of kernels.
enum class ModuleLoading { eager, lazy };

class WorkerProcess {
 public:
  // An Error if the worker's program is missing or no process can be started. `zygote` forks a worker in
  // Python if it can; null: the worker is started as a program.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command,
                                                      ModuleLoading loading = ModuleLoading::eager,
                                                      Zygote* zygote = nullptr);
  // Like start(), for a worker below a tool that does not pass descriptors on. `command` ends with a worker
  // and the path of the socket that it connects to. The socket is in `folder`, where the tool may also write.
  static Result<std::unique_ptr<WorkerProcess>> start_connecting(
      const std::vector<std::string>& command, const std::filesystem::path& folder,
      ModuleLoading loading = ModuleLoading::eager);
  // How requests are numbered: `secret` numbers are random, and `counted` ones start at 1. A process cannot
  // guess a random number before it gets the request.
  enum class Numbering { secret, counted };
  // For tests, without a process: the holder of the connection's other end answers.
  static std::unique_ptr<WorkerProcess> over(Connection connection, Numbering numbering = Numbering::counted);
  // The name of the socket in the folder of start_connecting().
  static constexpr const char* socket_name = "socket";

  // Builds what the contestant asks for while it is loaded or rehearsed. Without a builder, asking is a
  // fault: set null when nothing is to be built any more.
  void set_builder(ExtensionBuilder builder) { builds_.set_builder(std::move(builder)); }

  using Patience = std::chrono::milliseconds;
  // Before load(): has the worker write the contestant's faulty memory accesses into `book`, a buffer with a
  // FindingBook (device/finding_book.h).
  Answer watch(const SharedBuffer& book, Patience patience);
  Answer load(const std::filesystem::path& library, Patience patience);
  // Sets `loan.bytes` to the size of the buffer.
  Answer lend(const SharedBuffer& buffer, Loan loan, Patience patience);
  Answer give_back(Patience patience);
  // How often give_back() was called. Each call unmaps all buffers that were lent before.
  std::uint64_t times_given_back() const { return times_given_back_; }
  // For the worker of a problem's Python file that computes some of its inputs. lend_for_input() lends a
  // buffer for one such input of a launch. draw_inputs() computes all such inputs of a launch from a seed,
  // and perturb_inputs() changes them by another seed.
  Answer lend_for_input(const SharedBuffer& buffer, std::uint32_t parameter, std::uint32_t launch,
                        Patience patience);
  Answer draw_inputs(std::uint64_t seed, std::uint32_t launch, const CallSlots& scalars, Patience patience);
  Answer perturb_inputs(std::uint64_t seed, std::uint32_t launch, const CallSlots& scalars,
                        Patience patience);
  // For a contestant in Python, before the calls of a case: describes the case in JSON.
  Answer describe_case(const std::string& description, Patience patience);
  // For a contestant in Python, after its rehearsal: it can start no new programs from now on. Sets `report`
  // to the worker's report on the rehearsal, in JSON.
  Answer lock(std::string& report, Patience patience);
  // Sets the length of a captured output whose buffer stays lent for another case.
  Answer set_capture_length(std::uint32_t parameter, std::uint32_t launch, std::uint64_t bytes,
                            Patience patience);
  // Before load(): offers a gate. If true, calls can wait at this gate, and the referee polls for their
  // answers. A worker that cannot use the gate works without it.
  bool offer_gate(const Gate& gate, Patience patience);

  // Sends a call, which proceeds in steps. With a `gate` other than 0, the call waits until the gate opens.
  // `waiter`: whether the device or the host waits. Each of the `further` slots adds a launch.
  Answer begin_call(const CallSlots& slots, std::uint32_t gate, std::span<const CallSlots> further = {},
                    GateWaiter waiter = GateWaiter::device);
  // For a call with a gate: whether the call reaches the gate within `patience`. If the call does not reach
  // the gate, and the device should wait there, the contestant's entry function has failed or waits for the
  // device itself. end_call() reports which.
  bool wait_until_queued(Patience patience);
  // Waits until the call has ended, its time is known and its outputs are captured.
  Answer end_call(Patience patience);
  // Waits until the worker says that its device is idle. The reply says how much of the cache keeps lines for
  // the contestant.
  Answer settle(Patience patience);
  // After the call has been inspected: takes back the part of the cache that the contestant has reserved.
  Answer evict_cache_lines(Patience patience);

  // Before load(): finds the worker's process, below the launcher that started it.
  void find_worker() { tree_.find_below(process_.get().pid()); }
  // freeze() stops all threads of the worker, which has nothing to do between calls. thaw() lets the threads
  // continue. Call find_worker() before.
  void freeze();
  void thaw();
  // How many threads the worker has; 0 if unknown.
  unsigned int threads() const { return tree_.threads(); }
  // How many processes there are besides the worker and its launchers: a contestant in Python may start some
  // in its rehearsal. Call find_worker() before.
  unsigned int other_processes() const {
    return static_cast<unsigned int>(tree_.started_by_contestant().size());
  }
  // Kills these processes.
  void end_other_processes() { tree_.end_started(); }
  // The libraries of the worker; nothing if unknown. Call find_worker() before.
  std::optional<LibraryNames> libraries() const { return mapped_libraries(tree_.worker()); }

  // What the worker prints; nothing if it runs below a tool.
  const WorkerOutput& output() const { return output_; }

  bool alive() const { return alive_; }
  // Lets the worker end on its own: closes the connection, and kills what is left of it after `patience`.
  void dismiss(Patience patience);
  // Ends a worker that is of no more use, such as one whose context a kernel has destroyed.
  void retire() { fail(Fault::ended, "retired"); }
  // Does not wait. Call retire() afterwards.
  void kill() { process_.kill_group(); }

 private:
  WorkerProcess(LateChild process, Connection connection, WorkerOutput words,
                Numbering numbering = Numbering::secret)
      : process_(std::move(process)),
        connection_(std::move(connection)),
        output_(std::move(words)),
        numbering_(numbering) {}
  Answer ask(Request request, int descriptor, Patience patience);
  bool has_answer_ahead();
  bool send(Request request, int descriptor);
  Answer receive(Patience patience, UniqueFd* descriptor = nullptr);
  std::optional<Answer> serve_build(const UniqueFd& request);
  Answer interpret(const Reply& reply);
  std::string describe(const Reply& failed) const;
  Answer fail(Fault fault, std::string detail);
  Answer fail_to_send();
  std::string last_words(const char* otherwise) const;

  LateChild process_;
  Connection connection_;
  WantedBuilds builds_;
  WorkerOutput output_;
  Numbering numbering_;
  std::uint64_t sequence_ = 0;  // of the latest request
  std::uint64_t times_given_back_ = 0;
  bool alive_ = true;
  WorkerTree tree_;
  bool calling_ = false;   // a call has begun, and its answer is awaited
  bool queueing_ = false;  // the present call waits at a gate, and has not said that it is queued
};

// An unchangeable copy of a library in memory, because a worker sees no folder of ours. Returns no descriptor
// if `library` is not a regular file, or if the machine has no room.
UniqueFd sealed_copy(const std::filesystem::path& library);

// The text in a file that a worker sent. Reading it never waits. Empty if it is not a regular file, or longer
// than `most` bytes.
std::string text_in(const UniqueFd& file, std::size_t most);

}  // namespace kgrade
