// The interfaces through which grading and checking call the oracle, the reference and the candidate. Referee
// and CheckReferee implement them with processes; tests use fakes.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Our own contestants may be slow, but they always end.
constexpr Patience trusted_patience{300'000};

struct OutputErrors {
  std::string tensor;
  std::vector<std::int64_t> shape;
  ElementErrors errors;
  Comparison::Kind compare = Comparison::Kind::norm;
};

// All elements of a wrong output, in flat order, to find out how it is wrong. A double holds every value of
// the narrower types, and integers up to 2^53.
struct OutputValues {
  std::string tensor;
  std::vector<std::int64_t> shape;
  std::vector<double> expected;
  std::vector<double> got;
  // The elements that still hold the poison. Poison is beyond 2^65, so a call that only adds to it leaves it.
  std::vector<bool> untouched;
  // For a second call on the same inputs: what the output held before the call (values from 1 to 2), and what
  // the call left. Empty if there was no second call.
  std::vector<float> filled;
  std::vector<double> again;
  // What a third call on the same inputs left, with NaNs in the memory around all tensors. Empty if there was
  // no third call.
  std::vector<double> amid_nans;
  std::vector<double> before;    // the expected output for the previous call's inputs; empty if unknown
  Magnitudes magnitudes;         // with which the output was compared
  Dtype dtype = Dtype::float64;  // a difference that rounding to this type explains is no error
  // The outputs were fresh memory without poison, so `untouched` says nothing.
  bool was_fresh_memory = false;
};

// Larger outputs are not read back.
constexpr std::uint64_t most_examined_elements = std::uint64_t{1} << 22;

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

// What a contestant has printed.
struct Heard {
  std::string text;
  bool is_full = false;  // there may have been more
};

// Makes every call in one way, timed or not: moves tensors within their buffers, fills outputs and guard
// zones with fresh poison, draws new inputs and flushes the cache (Lease::prepare(), poison() and reveal()),
// asks the worker (at a gate, before the poison), then checks guard zones, inputs and outputs.
class Arena {
 public:
  virtual ~Arena() = default;

  virtual DeviceInfo device_info() const = 0;
  // False if times mean nothing on this device.
  bool measures_speed() const { return device_info().measures_speed; }

  // How many bytes of the device's memory are free.
  virtual std::uint64_t free_bytes() = 0;
  // Whether the candidate is a module, whose weights stay as they are from call to call.
  virtual bool keeps_weights() const = 0;

  // How long the device is busy with work that is not ours, in milliseconds. Before the candidate is loaded,
  // that is the work of other programs.
  virtual double busy_ms() = 0;

  // Waits for the candidate's worker, then loads the candidate.
  virtual Answer load_candidate(Patience worker_patience, Patience candidate_patience) = 0;

  // Starts new processes of reference and candidate. Returns the answer to loading the candidate. An Error is
  // not the candidate's fault.
  virtual Result<Answer> start_anew(Patience worker_patience, Patience candidate_patience) = 0;

  // Lends buffers for a case, for calls of up to `launches` launches, in place of the previous case's. An
  // Error when the device has no room.
  virtual Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) = 0;
  // Gives the buffers of all roles back.
  virtual void take_back() = 0;
  // Whether contestants take turns, until take_back(), because the device has no room for all of them at
  // once. Each then has the memory to itself for its calls, and first makes a call that does not count.
  virtual bool takes_turns() const = 0;
  // Makes contestants take turns in all cases from now on, until the next candidate. False if that makes no
  // room: they took turns in the last case, or memory is not shared.
  virtual bool insist_on_turns() = 0;

  CallReport call(Role role, const Draw& draw, Patience patience) {
    return call_as(role, {}, draw, patience);
  }
  virtual CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience) = 0;
  // For each output of the case, a sample of what the oracle's latest call left (Lease::sample_outputs).
  virtual std::vector<std::vector<double>> sample_expected() = 0;
  // Sets the magnitudes of each output of the case. Comparisons use them until new buffers are lent to the
  // oracle.
  virtual void compare_by(std::vector<Magnitudes> magnitudes) = 0;
  // After a failed comparison, for the candidate's output number `output`: how many elements differ by more
  // than `limit` (in the units of device::own_unit_of()), and how many the call did not write.
  virtual std::uint64_t count_wrong(std::size_t output, double limit) = 0;
  virtual std::uint64_t count_unwritten(std::size_t output) = 0;
  // The bytes of all outputs of the candidate's latest call, one after the other. Nothing if they are more
  // than `most`.
  virtual std::optional<std::vector<std::byte>> output_bytes(std::uint64_t /*most*/) { return std::nullopt; }
  // Reads in full what the latest calls left in the output. Nothing if it is too large.
  virtual std::optional<OutputValues> read_output(std::size_t output) = 0;
  // Like read_output(), and also repeats the call in a fresh process. `before` is the draw of the previous
  // call. Changes the oracle's outputs.
  virtual std::optional<OutputValues> examine(const Case& bound, std::size_t output, const Draw& draw,
                                              const std::optional<Draw>& before, Patience patience) = 0;

  // After a candidate died in a call: repeats the call in a fresh worker that may write to its inputs.
  // Returns which inputs or guard zones this call changes.
  virtual Lease::Corruption diagnose(const Case& bound, const Draw& draw, Patience patience) = 0;

  // After the candidate's worker has ended: waits until the device is free of the worker, and proves that the
  // device is healthy. An Error when it is not.
  virtual std::optional<Error> recover() = 0;

  // Whether the candidate compiles and tunes itself in its first calls (Python). The rehearsal makes these
  // calls on contents that no other call has. lock_candidate() ends the rehearsal. `report` is the
  // candidate's own account of the rehearsal, in JSON.
  virtual bool candidate_rehearses() const = 0;
  virtual Answer lock_candidate(Patience patience, std::string& report) = 0;
  // Forgets what the candidate has printed. heard() returns the bytes that the candidate prints from now on,
  // as far as there is room.
  virtual void begin_listening() = 0;
  virtual Heard heard() = 0;

  // Ends the candidate's worker.
  virtual void retire_candidate() = 0;
  // Kills the worker without waiting, so that several can end side by side. Call retire_candidate()
  // afterwards.
  virtual void kill_candidate() = 0;
  virtual bool candidate_alive() const = 0;

  // Sorted names of the libraries that are open in the candidate's process and were not open before the
  // candidate was loaded. Empty if the process has ended.
  virtual std::vector<std::string> opened_libraries() = 0;
};

// One way to run a case: an order of threads on the emulated device, or a tool of compute-sanitizer on a GPU.
struct CheckPass {
  std::string name;  // "reverse", "memcheck"
  ThreadOrder order = ThreadOrder::forward;
};

// What a pass leaves: entries of the worker's FindingBook (device/finding_book.h), or the tool's report.
struct Evidence {
  std::vector<FindingEntry> entries;
  std::uint32_t dropped = 0;  // places that did not fit into the book
  std::string tool_report;
  std::vector<LaunchCounts> counts;  // of the latest call, if they were asked for
  // The extensions that were built for the worker of a candidate in Python, by number
  // (device/finding_book.h).
  std::vector<std::filesystem::path> extensions;
};

// The interface for checked runs, in which a tool or the emulated device looks for faults.
class CheckArena {
 public:
  virtual ~CheckArena() = default;

  // Lends the oracle buffers for the case, and calls it once on this draw. An Error when the device has no
  // room.
  virtual Result<CallReport> call_oracle(const Case& bound, const Draw& draw) = 0;
  // See Arena.
  virtual std::vector<std::vector<double>> sample_expected() = 0;
  virtual void compare_by(std::vector<Magnitudes> magnitudes) = 0;

  // Starts a fresh worker, loads the candidate into it and lends it buffers. An Error is the machine's fault.
  // A fault in the answer is the candidate's.
  virtual Result<Answer> enter(const CheckPass& pass, const Case& bound) = 0;
  virtual CallReport call(const Draw& draw, Patience patience) = 0;
  // Compares every output of the candidate with the oracle's.
  virtual std::vector<OutputErrors> compare() = 0;
  // Reads one output in full, and calls the candidate again in the same process. Nothing if the output is too
  // large.
  virtual std::optional<OutputValues> examine(std::size_t output, const Draw& draw, Patience patience) = 0;
  // Ends the worker, if it still lives, and reads what it left.
  virtual Evidence leave() = 0;
};

}  // namespace kgrade
