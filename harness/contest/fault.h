// What can go wrong with a worker: one list of the faults that a worker reports and of those that the referee
// sees, with the meaning of each for a candidate. verify/checks.h turns a fault into a finding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/enum_words.h"
#include "record/verdict.h"

namespace kgrade {

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

}  // namespace kgrade
