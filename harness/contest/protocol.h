// The messages between referee and worker, of fixed size, over one SOCK_SEQPACKET socket, and the two ends of
// that socket. Each read is one whole message or none. A worker is not trusted: the referee checks the size,
// type and sequence number of every reply. A fault that a worker reports can only count against its
// contestant, and the referee's clock checks the times in a reply.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/enum_words.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "device/worker_device.h"
#include "problem/problem.h"
#include "record/verdict.h"

namespace kgrade {
// What can go wrong with a worker: one list of the faults that a worker reports and of those that the referee
// sees, with the meaning of each for a candidate. verify/checks.h turns a fault into a finding.
enum class Fault : std::uint32_t {
  none,
  // The referee sees these:
  ended,       // the process ended on its own: a crash, exit()
  killed,      // by a signal of another process, or by the kernel when memory runs out
  time_limit,  // no answer within the time allowed
  malformed,   // a reply that breaks the protocol
  busy,        // its device is still busy long after the call
  not_built,   // an extension of a contestant in Python does not compile
  // The worker reports these faults, and ends. The referee also concludes some of them itself: if a file
  // cannot be read or there is no memory for it, and if an extension cannot be built.
  cannot_load,     // the library does not load, or lacks its entry
  no_memory,       // a lent buffer cannot be mapped
  device_failed,   // the worker's device calls fail (a context that a kernel has destroyed)
  memory_limit,    // the contestant wants more memory than it may have
  stack_overflow,  // the reply says how large the stack is, like the limit of memory
  // The faults of a contestant in Python follow. The worker's last printed line gives the reason. After
  // `raised` and `no_answer` in a single call, the worker goes on.
  raised,       // an exception
  unsupported,  // it needs something that cannot be graded, or not on this device
  mismatched,   // it does not fit the problem
  no_answer,    // what it returned has another shape or type, or is nothing
  replaced,     // it has replaced functions of kgrade's in its process
};
// A reply with another number is malformed.
constexpr Fault last_fault = Fault::replaced;
template <>
inline constexpr std::array<std::string_view, static_cast<std::size_t>(last_fault) + 1> enum_words<Fault> = {
    "none",      "ended",       "killed",     "time_limit",    "malformed",    "busy",
    "not_built", "cannot_load", "no_memory",  "device_failed", "memory_limit", "stack_overflow",
    "raised",    "unsupported", "mismatched", "no_answer",     "replaced"};

// What a fault means.
struct FaultMeaning {
  Verdict verdict = Verdict::runtime_error;
  std::string_view check = "completion";  // that fails, see verify/checks.h
  // Python's own message says what went wrong, so no words are put before it.
  bool is_of_python = false;
  // The message if the worker has printed nothing more precise. Null for a fault that no worker reports.
  const char* words = nullptr;
};

// Whether a worker may report this fault. A reply with any other number is malformed.
constexpr bool is_said_by_worker(Fault fault) { return fault >= Fault::cannot_load && fault <= last_fault; }
// Whether a worker goes on after a call with this fault.
constexpr bool may_go_on_after(Fault fault) { return fault == Fault::raised || fault == Fault::no_answer; }

constexpr FaultMeaning meaning_of(Fault fault) {
  switch (fault) {
    case Fault::time_limit:
      return {Verdict::time_limit};
    case Fault::malformed:
      return {Verdict::cheating, "protocol"};
    case Fault::busy:
      return {Verdict::unstable, "idle"};
    case Fault::not_built:
      return {Verdict::compile_error, "load", true};
    case Fault::cannot_load:
      return {Verdict::runtime_error, "load", false, "the built library does not load"};
    case Fault::no_memory:
      return {Verdict::memory_limit, "memory", false, "the worker cannot map its buffers"};
    case Fault::device_failed:
      return {Verdict::runtime_error, "completion", false,
              "the device no longer answers in the contestant's process"};
    case Fault::memory_limit:
      return {Verdict::memory_limit, "memory", false, "out of memory"};
    case Fault::stack_overflow:
      return {Verdict::runtime_error, "completion", false, "stack overflow"};
    case Fault::raised:
      return {Verdict::runtime_error, "completion", true, "it raised an exception"};
    case Fault::unsupported:
      return {Verdict::unsupported, "completion", true, "this cannot be graded"};
    case Fault::mismatched:
      return {Verdict::signature_mismatch, "load", true, "it does not fit the problem"};
    case Fault::no_answer:
      return {Verdict::wrong_answer, "outputs_match", true, "what it returned is no answer"};
    case Fault::replaced:
      return {Verdict::cheating, "protocol", false, "it replaced functions of kgrade's"};
    case Fault::none:
    case Fault::ended:
    case Fault::killed:
      break;
  }
  return {};
}

constexpr std::uint32_t message_magic = 0x6b677264;  // "kgrd"

enum class RequestType : std::uint32_t {
  load = 1,       // carries the descriptor of the contestant's library
  lend = 2,       // carries the descriptor of one tensor's buffer
  give_back = 3,  // unmap everything lent
  call = 4,
  watch = 5,  // before load: carries the descriptor of a memory file that holds a FindingBook
  gate = 6,   // before load: carries the descriptor of a memory file that holds a Gate
  // Before a call of several launches: the slots of one further launch. The only request that is not
  // answered.
  launch = 7,
  capture_length = 8,     // a captured output has another size from now on
  evict_cache_lines = 9,  // from now on the device's cache keeps nothing for the contestant
  // For a contestant in Python, before the calls of a case: carries a memory file that describes the case in
  // JSON.
  describe_case = 10,
  // Answers wants_build under the number of the request that is being served. `build` says what the message
  // carries.
  built = 11,
  lock = 12,  // the rehearsal is over: no new programs from now on. The answer carries a report, in JSON.
  // For a problem's own file: carries the descriptor of a buffer for an input that the file computes.
  // give_back unmaps it too.
  lend_for_input = 13,
  draw_inputs = 14,     // computes the inputs of `launch` whose `is_tensor` is set, under `seed`
  perturb_inputs = 15,  // after draw_inputs: changes these inputs of `launch` under `seed`
};
constexpr RequestType last_request_type = RequestType::perturb_inputs;

// What became of an extension that a contestant in Python wants.
enum class BuildAnswer : std::uint32_t {
  built = 0,             // carries the library, built with kgrade's small headers
  failed = 1,            // carries the compiler's log
  built_with_torch = 2,  // carries the library, built with PyTorch's own headers
};

// The most launches of a call. Each has its own tensors.
constexpr std::uint32_t max_launches = 8;

// Who waits at the gate: the device, with all launches queued, or the worker's thread, before the first
// launch.
enum class GateWaiter : std::uint32_t { device = 0, thread = 1 };

struct Request {
  std::uint32_t magic = message_magic;
  RequestType type = RequestType::call;
  std::uint64_t sequence = 0;
  // lend, lend_for_input; capture_length: its `bytes` are those of the output `parameter` of `launch`
  Loan loan = {};
  std::uint32_t parameters = 0;            // call, launch, draw_inputs, perturb_inputs: how many slots follow
  BuildAnswer build = BuildAnswer::built;  // built
  // launch: its number, from 1 on; call: the number of further launches; draw_inputs, perturb_inputs: for
  // which
  std::uint32_t launch = 0;
  std::uint32_t gate = 0;  // call: nothing runs on the device before the gate reaches this number; 0: no gate
  GateWaiter waiter = GateWaiter::device;  // call with a gate
  std::uint32_t unused = 0;                // in place of padding, which would carry stray bytes of our memory
  // draw_inputs, perturb_inputs: for the inputs; call, launch: for the random numbers that a problem's file
  // draws in its forward
  std::uint64_t seed = 0;
  // call, launch, draw_inputs, perturb_inputs: one slot per parameter, with the byte offset of a tensor in
  // its buffer or the bits of a scalar
  std::uint64_t slots[max_parameters] = {};
  std::uint8_t is_tensor[max_parameters] = {};
};

enum class ReplyStatus : std::uint32_t {
  done = 1,  // the request has been served; for a call see `call.error`
  // A call is answered in steps. queued: the call waits at a gate; if the device waits, all launches are
  // made. done: the clock has stopped and the outputs are captured. idle: nothing of the call runs on the
  // device any more.
  queued = 2,
  idle = 3,
  // A contestant in Python wants an extension built. Carries the request: see RequestType::built.
  wants_build = 4,
  failed = 5,       // with `fault`; the worker ends, or is of no more use
  call_failed = 6,  // with `fault`, in the place of a call's answer: the worker takes further requests
};
constexpr ReplyStatus last_reply_status = ReplyStatus::call_failed;

struct Reply {
  std::uint32_t magic = message_magic;
  ReplyStatus status = ReplyStatus::done;
  std::uint64_t sequence = 0;
  CallTimes call = {};                 // done: of a call; failed: `limit_bytes` alone
  std::uint64_t kept_cache_bytes = 0;  // idle: bytes of the device's cache that keep lines for the contestant
  Fault fault = Fault::none;           // failed, call_failed
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);
static_assert(std::has_unique_object_representations_v<Request>, "a request has no padding");

// One end of the socket between referee and worker.
class Connection {
 public:
  explicit Connection(UniqueFd socket) : socket_(std::move(socket)) {}

  // Two connected ends. Throws std::system_error when the kernel has no sockets left.
  static std::pair<Connection, Connection> make_pair();

  int descriptor() const { return socket_.get(); }

  // The referee's side. send() never waits. It returns false if the worker is gone, if the worker has left
  // too many requests unread, or for another reason in errno. If `descriptor` is -1, no descriptor is sent.
  bool send(const Request& request, int descriptor = -1);
  enum class Outcome { message, timeout, closed, malformed };
  // Waits for one reply. A reply of another size, magic or sequence number is malformed. Puts the descriptor
  // that comes with the reply into `descriptor`, unless that is null.
  Outcome receive(Reply& reply, std::uint64_t sequence, std::chrono::milliseconds patience,
                  UniqueFd* descriptor = nullptr);
  // Waits for a message. False if none arrives within `patience`.
  bool wait(std::chrono::milliseconds patience);
  // From now on every wait polls for this long before it sleeps: waking a thread up takes tens of
  // microseconds.
  void spin_for(std::chrono::microseconds time) { spin_ = time; }
  // Whether any message is unread, even one that is not a reply. False for a closed end.
  bool has_unread();
  // Reads a sound reply without taking it; false if there is none.
  bool peek(Reply& reply, std::uint64_t sequence);

  // The worker's side.
  bool send(const Reply& reply, int descriptor = -1);
  // The next request and its descriptor. Nothing if the referee is gone, or if the message is not a request:
  // another size, magic or type, more parameters than there are, a tensor outside of its buffer.
  std::optional<std::pair<Request, UniqueFd>> next_request();
  // From now on next_request() polls this many times before it sleeps. This is a count and not a time, so
  // that a stopped process still polls after it continues. The next request comes at that moment.
  void spin_times(int times) { spins_ = times; }

 private:
  Outcome read(Reply& reply, std::uint64_t sequence, int flags, UniqueFd* descriptor = nullptr);

  UniqueFd socket_;
  std::chrono::microseconds spin_{0};
  int spins_ = 0;
};

// A socket in a private folder. A worker that cannot inherit its end connects to it.
class Listener {
 public:
  // An Error when the path is too long for a socket's address (unix(7): 107 bytes), or exists.
  static Result<Listener> open(const std::filesystem::path& path);

  // Waits for one connection of our own user. An Error if none comes in time, or if `is_gone` says that the
  // connecting process has ended.
  Result<Connection> accept(std::chrono::milliseconds patience, const std::function<bool()>& is_gone);

 private:
  explicit Listener(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

// Connects to a Listener; no socket if that fails.
UniqueFd connect_to(const std::filesystem::path& path);

}  // namespace kgrade
