// The worker's program: one process for one contestant. It holds the contestant, the buffers lent for the
// current case and one socket (descriptor 3), and does what the referee asks until the socket closes.
//
// A program that calls run_worker() defines dlclose() for all that it loads, and closes nothing there: the
// record lists the libraries that a contestant opens by what is mapped into its process after a case
// (contest/mapped_libraries.h), and one that it closed within a call would be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "contest/protocol.h"
#include "device/worker_device.h"

namespace kgrade {

constexpr int connection_descriptor = 3;

// What a worker runs.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Loads what the file holds; null when that is no contestant. Further copies of it stay with the caller.
  virtual Entry load(const UniqueFd& file) = 0;
  // Compiles and tunes itself in its first calls, and so needs programs until it is locked.
  virtual bool rehearses() const { return false; }
  // What the next calls are about, in JSON. False if it cannot be used.
  virtual bool describe(const UniqueFd& /*text*/) { return true; }
  // Of a problem's own file or reference: writes the inputs that it computes under this seed. `addresses`: of
  // the buffers for them, by parameter; 0 for what is not computed. `scalars`: their bits, likewise. False if
  // it cannot.
  virtual bool draw_inputs(std::uint64_t /*seed*/, const unsigned long long* /*addresses*/,
                           std::span<const std::uint64_t> /*scalars*/) {
    return false;
  }
  // Before the launches of a call: the seed of the random numbers that a problem's file draws in each.
  virtual void begin_call(std::span<const std::uint64_t> /*seeds*/) {}
  // After them: call_raised or call_gave_no_answer, if it has no answer and the next call may have one.
  virtual std::optional<ReplyStatus> failure_of_call() const { return std::nullopt; }
  // The rehearsal is over: what it tells of it, in JSON.
  virtual UniqueFd lock() { return UniqueFd(); }
};

// A shared library with entries of those names (compile/binding.h).
class LibraryContestant : public Contestant {
 public:
  Entry load(const UniqueFd& file) override;
  bool draw_inputs(std::uint64_t seed, const unsigned long long* addresses,
                   std::span<const std::uint64_t> scalars) override;

 private:
  Entry inputs_ = nullptr;  // null where none are computed
};

// Returns the process's exit code: 0 when the referee has gone, 1 when the device cannot be used. The
// contestant is loaded in a process that can no longer start others, unless it `may_start_programs` (tools
// do, within it) or rehearses.
int run_worker(WorkerDevice& device, Contestant& contestant, int socket = connection_descriptor,
               bool may_start_programs = false);

// For a contestant that is being loaded, described or called: the library that the referee builds as this
// request says, or the compiler's log. Without a file when the request cannot be made now.
struct BuiltFile {
  UniqueFd file;
  bool is_library = false;
};
BuiltFile request_build(const UniqueFd& request);

// Waits until the referee asks for something; nothing is read.
void wait_for_request(int socket = connection_descriptor);

// Answers the request that is being served with a status that ends the worker (memory_limit, stack_overflow,
// raised, ...), and ends the process. Safe in a signal handler, on any thread and on any stack.
[[noreturn]] void end_worker(ReplyStatus status, std::uint64_t limit_bytes);

}  // namespace kgrade
