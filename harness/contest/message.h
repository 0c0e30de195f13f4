// What referee and worker say to each other: fixed-size messages over one SOCK_SEQPACKET socket, so that each
// read is one whole message or none. A worker is not trusted: whatever it sends is checked for size, type and
// sequence number, and nothing in a reply decides a verdict; the times in it are checked by the referee's
// clock.
#pragma once

#include <cstdint>
#include <type_traits>

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
};
constexpr RequestType last_request_type = RequestType::evict_cache_lines;

// How many launches a call can have, each on tensors of its own.
constexpr std::uint32_t max_launches = 8;

// Who waits at the gate: the device, with all launches queued, or the worker's thread before the first of
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
  // call, launch: a slot a parameter; of a tensor the byte offset in its buffer, of a scalar its bits
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
};
constexpr ReplyStatus last_reply_status = ReplyStatus::idle;

struct Reply {
  std::uint32_t magic = message_magic;
  ReplyStatus status = ReplyStatus::done;
  std::uint64_t sequence = 0;
  std::int32_t error = 0;              // a cudaError_t
  std::uint32_t latency_hidden = 0;    // done: launches were queued before the first began
  double elapsed_ms = 0;               // between device events around the call
  std::uint64_t limit_bytes = 0;       // that an allocation or a stack exceeded; 0: not known
  std::uint64_t kept_cache_bytes = 0;  // idle: of the device's cache, that keep lines for the contestant
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace kgrade
