// What grading a case and checking it need of a contest, apart from how it is done: tests put fakes in its
// place.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/role.h"
#include "contest/lease.h"
#include "contest/worker_process.h"
#include "device/finding_book.h"
#include "device/thread_order.h"
#include "problem/case.h"

namespace kgrade {

using Patience = WorkerProcess::Patience;

// For contestants of our own, which may be slow but do end.
constexpr Patience trusted_patience{300'000};

struct OutputErrors {
  std::string tensor;
  std::vector<std::int64_t> shape;
  ElementErrors errors;
  Comparison::Kind compare = Comparison::Kind::norm;
};

// All elements of an output that is wrong, in flat order, to find out how it is wrong. A double holds all
// of the narrower types, and integers up to 2^53.
struct OutputValues {
  std::string tensor;
  std::vector<std::int64_t> shape;
  std::vector<double> expected;
  std::vector<double> got;
  std::vector<bool> untouched;  // holds what it held before the call, which is beyond 2^65: sums do not show
  // A second call on the same inputs, with outputs that held values from 1 to 2. Empty: there was none.
  std::vector<float> filled;
  std::vector<double> again;
  std::vector<double> before;  // expected of the inputs of the call before; empty: not known
  Magnitudes magnitudes;       // that the output was compared by
  // The outputs were memory that nothing had been written to, so that `untouched` says nothing.
  bool was_fresh_memory = false;
};

// Larger outputs are not read back.
constexpr std::uint64_t most_examined_elements = std::uint64_t{1} << 22;

// How a call is made.
struct CallKind {
  // Launches are queued while the inputs are not there yet, where the device has a gate and the contestant
  // has not been seen to wait for the device. Otherwise none are, and where there is a gate, the worker's
  // thread waits there.
  bool ahead = true;
  // Outputs are captured when the clock stops, and count as they are then. Otherwise hardly
  // anything of them is, and they count as they are when the device works for the referee again.
  bool captures = true;
};

// All that the referee saw of one call.
struct CallReport {
  Fault fault = Fault::none;
  std::string detail;  // of a fault
  // The fault is of the inputs, which the problem's file computes, and there was no call.
  bool lacks_inputs = false;
  int cuda_error = 0;  // that the call left; see the CUDA Runtime API, cudaError_t
  // cudaError_t of the first launch that failed, as the worker says, though the contestant may have read it
  int failed_launch = 0;
  std::uint64_t memory_limit_bytes = 0;  // of an allocation that failed, as the worker says; 0: not known
  double elapsed_ms = 0;                 // of all launches, as the worker's device events say
  double prepared_ms = 0;  // by the referee's clock, until only its inputs were missing, or nothing
  double wall_ms = 0;      // by the same, from then on until its answer was there
  // By the referee's clock on the device: from the moment when the inputs were there until the device could
  // do something for the referee again.
  double settled_ms = 0;
  bool latency_hidden = false;  // as the worker says, where the referee does not know better
  bool queued = false;          // it waited at its gate, its launches queued as far as its worker says
  bool keeps_lines = false;     // the device's cache keeps lines for the contestant, or so its worker says
  unsigned int processes_left = 0;  // that the contestant has started
  unsigned int threads_left = 0;    // in the contestant's process, that were not there before it was loaded
  double waited_ms = 0;             // that the device was busy before the call was prepared
  Lease::Corruption corruption;
  // The outputs, compared with those of the oracle's latest call. Empty for the oracle's own calls.
  std::vector<OutputErrors> outputs;
};

// What a contestant has printed.
struct Heard {
  std::string text;
  bool is_full = false;  // there may have been more
};

// One kind of call, timed or not: buffers moved, outputs and guard zones filled with fresh random bits,
// inputs drawn anew, the worker asked, then guard zones, inputs and outputs checked.
class Arena {
 public:
  virtual ~Arena() = default;

  virtual DeviceInfo device_info() const = 0;
  // False: times mean nothing on this device.
  bool measures_speed() const { return device_info().measures_speed; }

  // How many bytes of the device's memory are free.
  virtual std::uint64_t free_bytes() = 0;
  // Whether the candidate is a module, whose weights stay as they are from call to call.
  virtual bool keeps_weights() const = 0;

  // How long the device is busy with what is not ours, in milliseconds: before the candidate is loaded, what
  // others make it wait for.
  virtual double busy_ms() = 0;

  // Waits for the candidate's worker, then loads the candidate.
  virtual Answer load_candidate(Patience worker_patience, Patience candidate_patience) = 0;

  // New processes of reference and candidate; the answer is that of the candidate's loading. An Error is not
  // the candidate's.
  virtual Result<Answer> start_anew(Patience worker_patience, Patience candidate_patience) = 0;

  // Buffers for a case, for calls of up to so many launches; those of the case before go. An Error when the
  // device has no room.
  virtual Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) = 0;
  // Gives the buffers of all roles back.
  virtual void take_back() = 0;
  // Until then: the device has no room for all contestants of the case at once, so that each has it for its
  // calls alone, and makes one that does not count before those.
  virtual bool takes_turns() const = 0;
  // Contestants take turns in all cases from now on, until there is another candidate. False where that makes
  // no room: they took them in the last case, or memory is not shared.
  virtual bool insist_on_turns() = 0;

  CallReport call(Role role, const Draw& draw, Patience patience) {
    return call_as(role, {}, draw, patience);
  }
  virtual CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience) = 0;
  // By output of the case: a sample of what the oracle's latest call left (Lease::sample_outputs).
  virtual std::vector<std::vector<double>> sample_expected() = 0;
  // By output of the case: what outputs are compared by from now on, until the oracle's buffers are lent
  // anew.
  virtual void compare_by(std::vector<Magnitudes> magnitudes) = 0;
  // After a comparison that failed, of the candidate's output number `output`: how many elements differ by
  // more than `limit` (in the units of device::unit_of()), and how many the call left as they were.
  virtual std::uint64_t count_wrong(std::size_t output, double limit) = 0;
  virtual std::uint64_t count_unwritten(std::size_t output) = 0;
  // The same output in full, and what the same call gives in a fresh process. `before`: what the call before
  // was on. Nothing where the output is too large. The oracle's outputs are others then.
  virtual std::optional<OutputValues> examine(const Case& bound, std::size_t output, const Draw& draw,
                                              const std::optional<Draw>& before, Patience patience) = 0;

  // What a candidate that died in a call was about: the same call in a fresh worker that may write to its
  // inputs. Says which inputs or guard zones it then changes.
  virtual Lease::Corruption diagnose(const Case& bound, const Draw& draw, Patience patience) = 0;

  // Once the candidate's worker has ended: waits until the device is free of it, and proves the device
  // healthy. An Error when it is not.
  virtual std::optional<Error> recover() = 0;

  // A candidate that compiles and tunes itself in its first calls (Python): these are made on contents that
  // nothing else has, and then it is locked. What it reports of that is in JSON of its own making.
  virtual bool candidate_rehearses() const = 0;
  virtual Answer lock_candidate(Patience patience, std::string& report) = 0;
  // What the candidate prints from now on, as any bytes, and as much as there is room for.
  virtual void begin_listening() = 0;
  virtual Heard heard() = 0;

  // Ends the candidate's worker; it is no longer alive.
  virtual void retire_candidate() = 0;
  // Kills it and waits for nothing, where several are to end side by side: retire_candidate() comes after.
  virtual void kill_candidate() = 0;
  virtual bool candidate_alive() const = 0;

  // Names of the libraries that are open in the candidate's process and were not before it was loaded,
  // sorted. None when the process has ended.
  virtual std::vector<std::string> opened_libraries() = 0;
};

// One way in which a case is run: an order of threads on the emulated device, a tool of compute-sanitizer on
// a GPU.
struct CheckPass {
  std::string name;  // "reverse", "memcheck"
  ThreadOrder order = ThreadOrder::forward;
};

// What a pass leaves for us to read: entries of the worker's book, or the tool's report.
struct Evidence {
  std::vector<FindingEntry> entries;
  std::uint32_t dropped = 0;  // places that the book had no room for
  std::string tool_report;
  // Of a candidate in Python: the extensions that its worker had built, by number (device/finding_book.h).
  std::vector<std::filesystem::path> extensions;
};

// The same for checked runs, in which a tool or the emulated device looks for faults.
class CheckArena {
 public:
  virtual ~CheckArena() = default;

  // Oracle: buffers for the case, and one call on this draw. An Error when the device has no room.
  virtual Result<CallReport> call_oracle(const Case& bound, const Draw& draw) = 0;
  // As in Arena.
  virtual std::vector<std::vector<double>> sample_expected() = 0;
  virtual void compare_by(std::vector<Magnitudes> magnitudes) = 0;

  // A fresh worker of the candidate's, with the candidate loaded and buffers of its own. An Error is the
  // machine's. The fault of an answer that is not ok is the candidate's.
  virtual Result<Answer> enter(const CheckPass& pass, const Case& bound) = 0;
  virtual CallReport call(const Draw& draw, Patience patience) = 0;
  // Every output of the candidate with what the oracle's call left.
  virtual std::vector<OutputErrors> compare() = 0;
  // One of them in full, and what another call in the same process gives. Nothing where it is too large.
  virtual std::optional<OutputValues> examine(std::size_t output, const Draw& draw, Patience patience) = 0;
  // Ends the worker, if it still lives, and reads what it left.
  virtual Evidence leave() = 0;
};

}  // namespace kgrade
