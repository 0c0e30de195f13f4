// The protocol of referee and worker: fixed-size messages over one SOCK_SEQPACKET socket, so that each read
// is one whole message or none, and the two ends of that socket. A worker is not trusted: the referee checks
// the size, type and sequence number of every reply, nothing in a reply decides a verdict, and the referee's
// clock checks the times in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "problem/problem.h"

namespace kgrade {

constexpr std::uint32_t message_magic = 0x6b677264;  // "kgrd"

enum class RequestType : std::uint32_t {
  load = 1,       // carries the descriptor of the contestant's library
  lend = 2,       // carries the descriptor of one tensor's buffer
  give_back = 3,  // unmap everything lent
  call = 4,
  watch = 5,  // before load: carries the descriptor of a memory file that holds a FindingBook
  gate = 6,   // before load: carries the descriptor of a memory file that holds a Gate
  // Before a call of several launches: the slots of one of them. The one request that is not answered.
  launch = 7,
  capture_length = 8,     // the captured output `parameter` of `launch` has `bytes` from now on
  evict_cache_lines = 9,  // the device's cache keeps nothing for the contestant any more
  // Of a contestant in Python. Before the calls of a case: carries a memory file with what it is, in JSON.
  describe_case = 10,
  // Answers wants_build under the number of the request that is being served: carries the library, or with
  // `parameter` 1 the compiler's log.
  built = 11,
  lock = 12,  // the rehearsal is over: no new programs from now on. The answer carries a report, in JSON.
  // Of a problem's own file: carries the descriptor of a buffer for the input `parameter` of `launch`, which
  // the file computes. It goes with give_back, as what is lent.
  lend_for_input = 13,
  draw_inputs = 14,  // fills those of `launch`, as the file computes them under `seed`
};
constexpr RequestType last_request_type = RequestType::draw_inputs;

// How many launches a call can have, each on tensors of its own.
constexpr std::uint32_t max_launches = 8;

// What waits at the gate: the device, with all launches queued, or the worker's thread before the first of
// them.
enum class GateWaiter : std::uint32_t { device = 0, thread = 1 };

struct Request {
  std::uint32_t magic = message_magic;
  RequestType type = RequestType::call;
  std::uint64_t sequence = 0;
  std::uint32_t parameter = 0;   // lend: which parameter the buffer is for
  std::uint32_t writable = 0;    // lend
  std::uint64_t bytes = 0;       // lend: of the whole buffer; capture_length: of the output
  std::uint32_t parameters = 0;  // call, launch: how many slots follow
  std::uint32_t holds_data = 0;  // lend: an input
  std::uint64_t begin = 0;       // lend: where the tensor is in the buffer
  std::uint64_t length = 0;      // lend: of the tensor, in bytes
  std::uint32_t captures = 0;    // lend: takes what the output `parameter` holds when the clock stops
  // lend: which launch the buffer is for; launch: which one it is, from 1 on; call: how many there are
  // besides the call's own
  std::uint32_t launch = 0;
  std::uint32_t gate = 0;  // call: nothing runs on the device before the gate stands there; 0: no gate
  GateWaiter waiter = GateWaiter::device;  // call, where it has a gate
  // draw_inputs; call, launch: of the random numbers that a problem's file draws in its forward
  std::uint64_t seed = 0;
  // lend, of a capture, for what a contestant in Python returns in the place of this output: it may be memory
  // of an input; it is overwritten before the next request is served
  std::uint32_t may_be_input = 0;
  std::uint32_t is_overwritten = 0;
  // call, launch, draw_inputs: a slot a parameter; of a tensor the byte offset in its buffer, of a scalar its
  // bits
  std::uint64_t slots[max_parameters] = {};
  std::uint8_t is_tensor[max_parameters] = {};
};

enum class ReplyStatus : std::uint32_t {
  done = 1,           // what was asked for has been done; of a call: see `error`
  cannot_load = 2,    // the library does not load, or lacks its entry
  no_memory = 3,      // a lent buffer cannot be mapped
  device_failed = 4,  // the worker's own device calls fail (a context that a kernel has destroyed)
  // The contestant has gone beyond a limit of `limit_bytes`, and the worker ends.
  memory_limit = 5,
  stack_overflow = 6,
  // A call is answered in steps: queued when it waits at a gate (where the device does, its launches are all
  // made), done when the clock has stopped and the outputs are captured, idle when nothing of it runs on the
  // device any more.
  queued = 7,
  idle = 8,
  // Of a contestant in Python. It wants an extension built, and carries the request: see RequestType::built.
  wants_build = 9,
  // These end the worker; the last line that it has printed says why (of device_failed too, if there is one).
  raised = 10,
  unsupported = 11,
  mismatched = 12,  // it does not fit the problem
  no_answer = 13,   // what it returned answers no problem like this: another shape, or nothing
  // The same of a call, after which the worker takes other requests.
  call_raised = 14,
  call_gave_no_answer = 15,
};
constexpr ReplyStatus last_reply_status = ReplyStatus::call_gave_no_answer;

struct Reply {
  std::uint32_t magic = message_magic;
  ReplyStatus status = ReplyStatus::done;
  std::uint64_t sequence = 0;
  std::int32_t error = 0;              // a cudaError_t
  std::uint32_t latency_hidden = 0;    // done: launches were queued before the first began
  double elapsed_ms = 0;               // between device events around the call
  std::uint64_t limit_bytes = 0;       // that an allocation or a stack exceeded; 0: not known
  std::uint64_t kept_cache_bytes = 0;  // idle: of the device's cache, that keep lines for the contestant
  std::int64_t failed_launch = 0;      // done: cudaError_t of the first launch that failed; 0: none
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

// One end of the socket between referee and worker.
class Connection {
 public:
  explicit Connection(UniqueFd socket) : socket_(std::move(socket)) {}

  // Two connected ends. Throws std::system_error when the kernel has no sockets left.
  static std::pair<Connection, Connection> make_pair();

  int descriptor() const { return socket_.get(); }

  // The referee's side. send() never waits: it is false when the worker is gone, or has left so many requests
  // unread that no more fit into the socket, or for another reason in errno. `descriptor` -1 sends none.
  bool send(const Request& request, int descriptor = -1);
  enum class Outcome { message, timeout, closed, malformed };
  // Waits for one reply; a reply of another size, magic or sequence number is malformed.
  // Takes the descriptor that comes with it, if the caller wants one; others are dropped.
  Outcome receive(Reply& reply, std::uint64_t sequence, std::chrono::milliseconds patience,
                  UniqueFd* descriptor = nullptr);
  // False when there is nothing to receive within that time.
  bool wait(std::chrono::milliseconds patience);
  // From now on every wait polls for so long before it sleeps: waking a thread up takes tens of microseconds.
  void spin_for(std::chrono::microseconds time) { spin_ = time; }
  // True when anything is there that has not been received, be it no reply; not for an end that is closed.
  bool has_unread();
  // A sound reply that is there, which stays there; false when there is none.
  bool peek(Reply& reply, std::uint64_t sequence);

  // The worker's side.
  bool send(const Reply& reply, int descriptor = -1);
  // The next request and the descriptor that came with it; nothing when the referee is gone, or sends what is
  // no request: another size, magic or type, more parameters than there are, a tensor outside of its buffer.
  std::optional<std::pair<Request, UniqueFd>> next_request();
  // From now on next_request() polls so many times before it sleeps. A number and not a time: a process that
  // is stopped meanwhile goes on polling when it continues, and that is when the next request comes.
  void spin_times(int times) { spins_ = times; }

 private:
  Outcome read(Reply& reply, std::uint64_t sequence, int flags, UniqueFd* descriptor = nullptr);
  void look_for_request() const;

  UniqueFd socket_;
  std::chrono::microseconds spin_{0};
  int spins_ = 0;
};

// A socket in a private folder, for a worker that cannot inherit its end: it connects to it.
class Listener {
 public:
  // An Error when the path is too long for a socket's address (unix(7): 107 bytes), or exists.
  static Result<Listener> open(const std::filesystem::path& path);

  // Waits for one connection of our own user. An Error when none comes in time, or `is_gone` says that the
  // process that was to connect has ended.
  Result<Connection> accept(std::chrono::milliseconds patience, const std::function<bool()>& is_gone);

 private:
  explicit Listener(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

// The other side: a connected socket, or none.
UniqueFd connect_to(const std::filesystem::path& path);

}  // namespace kgrade
