// The referee's handle on one worker: started with a clean environment and an own process group, asked over
// the connection, killed as a whole. After any fault the worker is dead and must be started anew.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/late_child.h"
#include "contest/mapped_libraries.h"
#include "contest/protocol.h"
#include "contest/wanted_builds.h"
#include "contest/worker_output.h"
#include "contest/worker_tree.h"
#include "device/device.h"
#include "device/gate.h"

namespace kgrade {

class Zygote;

enum class Fault {
  none,
  ended,          // the process ended by itself: a crash, exit()
  killed,         // by a signal that other processes send, or the kernel for want of memory
  time_limit,     // no answer within the time allowed
  malformed,      // an answer that is none
  cannot_load,    // the library does not load
  no_memory,      // a lent buffer cannot be mapped
  device_failed,  // the worker's device calls fail
  memory_limit,   // the contestant wants more memory than it may have
  stack_overflow,
  busy,  // its device still works long after the call is over
  // Of a contestant in Python:
  raised,       // an exception
  unsupported,  // it does what cannot be graded, or not on this device
  mismatched,   // it does not fit the problem
  no_answer,    // what it returned has another shape or type, or is nothing
  not_built,    // an extension of its does not compile
};

struct Answer {
  Fault fault = Fault::none;
  std::string detail;  // of a fault, in words
  Reply reply;         // when there is no fault
  // By the referee's clock: when the answer was there.
  std::chrono::steady_clock::time_point arrived;

  bool ok() const { return fault == Fault::none; }
};

// What a lent buffer is for. The tensor is [begin, begin + length) of it.
struct LoanTerms {
  std::uint32_t parameter = 0;
  bool writable = false;
  bool holds_data = false;  // an input, or an output that begins as something
  bool captures = false;    // takes the output `parameter` when the clock stops
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint32_t launch = 0;  // of a call, that it is for
  // Of a capture, for what a contestant in Python returns in the place of the output: it may be memory of an
  // input; it is overwritten once it has been captured.
  bool may_be_input = false;
  bool is_overwritten = false;
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

// When kernels come to the device: all of them with their library, or each with its first launch. A vendor's
// library has thousands.
enum class ModuleLoading { eager, lazy };

class WorkerProcess {
 public:
  // An Error when the worker's program is missing or no process can be started. `zygote` forks a worker in
  // Python if it can; null: the worker is started as a program.
  static Result<std::unique_ptr<WorkerProcess>> start(const std::vector<std::string>& command,
                                                      ModuleLoading loading = ModuleLoading::eager,
                                                      Zygote* zygote = nullptr);
  // The same below a tool that hands no descriptors on: `command` ends with a worker and the path of the
  // socket that it connects to, in `folder`, where the tool may also write.
  static Result<std::unique_ptr<WorkerProcess>> start_connecting(const std::vector<std::string>& command,
                                                                 const std::filesystem::path& folder);
  // How requests are numbered. A process cannot know the number of a request that it has not been sent; one
  // that counts from 1 on could.
  enum class Numbering { secret, counted };
  // Without a process: the holder of the connection's other end answers. For tests.
  static std::unique_ptr<WorkerProcess> over(Connection connection, Numbering numbering = Numbering::counted);
  // The name of that socket.
  static constexpr const char* socket_name = "socket";

  // Builds what the contestant asks for while it is loaded or rehearsed. Without one, asking is a fault: from
  // when nothing is to be built any more, set none.
  void set_builder(ExtensionBuilder builder) { builds_.set_builder(std::move(builder)); }

  using Patience = std::chrono::milliseconds;
  // Before load(): what is wrong with the contestant's memory accesses goes into the book in this buffer.
  Answer watch(const SharedBuffer& book, Patience patience);
  Answer load(const std::filesystem::path& library, Patience patience);
  Answer lend(const SharedBuffer& buffer, const LoanTerms& terms, Patience patience);
  Answer give_back(Patience patience);
  // How often that was asked for: what was lent before is no longer there.
  std::uint64_t times_given_back() const { return times_given_back_; }
  // Of the worker of a problem's own file: a buffer for an input of a launch that the file computes, and what
  // it computes under a seed, into all of the launch's.
  Answer lend_for_input(const SharedBuffer& buffer, std::uint32_t parameter, std::uint32_t launch,
                        Patience patience);
  Answer draw_inputs(std::uint64_t seed, std::uint32_t launch, const CallSlots& scalars, Patience patience);
  // Of a contestant in Python, before the calls of a case: what the case is, in JSON.
  Answer describe_case(const std::string& description, Patience patience);
  // Likewise, once it is rehearsed. What it reports of that goes to `report`, in JSON of its own making.
  Answer lock(std::string& report, Patience patience);
  // Of an output that is captured: buffers that stay lent serve another case.
  Answer set_capture_length(std::uint32_t parameter, std::uint32_t launch, std::uint64_t bytes,
                            Patience patience);
  // Before load(): calls can wait at this gate when the answer is ok, and their answers are asked for
  // eagerly. A worker that cannot goes on living.
  bool offer_gate(const Gate& gate, Patience patience);

  // A call in steps. Sends it; with a `gate` other than 0 it waits there, on the device or before anything of
  // it is. It has a launch for each of the `further` slots too.
  Answer begin_call(const CallSlots& slots, std::uint32_t gate, std::span<const CallSlots> further = {},
                    GateWaiter waiter = GateWaiter::device);
  // Of a call at a gate: true when it waits there, false when it does not by then (where the device is to
  // wait, its entry waits for the device, or has failed: end_call() tells).
  bool wait_until_queued(Patience patience);
  // Waits for the time and the captured outputs.
  Answer end_call(Patience patience);
  // Waits until the worker says that its device is idle. The reply has how much of the cache keeps lines for
  // the contestant.
  Answer settle(Patience patience);
  // Once the call has been inspected: none are kept any more.
  Answer evict_cache_lines(Patience patience);

  // Finds the worker's process, below the launcher that started it. Before load().
  void find_worker() { tree_.find_below(process_.get().pid()); }
  // Stops all of the worker's threads, and lets them go on: between calls it has nothing to do. After
  // find_worker().
  void freeze();
  void thaw();
  // How many threads the worker has; 0 when that is not known.
  unsigned int threads() const { return tree_.threads(); }
  // How many processes there are besides the worker and what started it: those that a contestant in Python,
  // which may start some while it is rehearsed, has left. After find_worker().
  unsigned int other_processes() const {
    return static_cast<unsigned int>(tree_.started_by_contestant().size());
  }
  // Kills them.
  void end_other_processes() { tree_.end_started(); }
  // Which libraries it has; nothing when that is not known. After find_worker().
  std::optional<LibraryNames> libraries() const { return mapped_libraries(tree_.worker()); }

  // What it prints; of a worker below a tool nothing.
  const WorkerOutput& output() const { return output_; }

  bool alive() const { return alive_; }
  // Lets the worker end by itself: closes the connection, and kills what is left of it after `patience`.
  void dismiss(Patience patience);
  // Ends a worker that is of no more use, such as one whose context a kernel has destroyed.
  void retire() { fail(Fault::ended, "retired"); }
  // Waits for nothing; retire() comes after.
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
  std::uint64_t next_number() const;
  bool send(Request request, int descriptor);
  Answer receive(Patience patience, UniqueFd* descriptor = nullptr);
  std::optional<Answer> serve_build(const UniqueFd& request);
  Answer interpret(const Reply& reply);
  Answer interpret_failed_call(ReplyStatus status);
  Answer fail(Fault fault, std::string detail);
  Answer fail_to_send();
  std::optional<int> end_status();  // wait status; nothing when it does not end
  std::string last_words(const char* otherwise) const;
  std::string describe_end(const std::optional<int>& status) const;

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

}  // namespace kgrade
