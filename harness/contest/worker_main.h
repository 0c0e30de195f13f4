// The worker's program: one process for one contestant. It holds the contestant, the buffers lent for the
// current case and one socket (descriptor 3), and does what the referee asks until the socket closes.
//
// A program that calls run_worker() defines a dlclose() that closes nothing. The record lists the libraries
// that a contestant opens by what is mapped into its process after a case (contest/worker_tree.h). With
// an ordinary dlclose(), a library that the contestant closes within a call would be missing there.
#pragma once

#include <cstdint>
#include <span>

#include "contest/protocol.h"
#include "device/worker_device.h"

namespace kgrade {

constexpr int connection_descriptor = 3;

// What a worker runs.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Loads the contestant in the file; null if there is none. The caller keeps the file.
  virtual Entry load(const UniqueFd& file) = 0;
  // Whether it compiles and tunes itself in its first calls, and so starts programs until it is locked.
  virtual bool rehearses() const { return false; }
  // Describes the next calls, in JSON. False if the description cannot be used.
  virtual bool describe(const UniqueFd& /*text*/) { return true; }
  // For a problem's own file or reference: writes the inputs that it computes under this seed. `addresses`: a
  // buffer for each computed parameter, 0 for the others. `scalars`: the bits of the scalars, by parameter.
  // False if it fails.
  virtual bool draw_inputs(std::uint64_t /*seed*/, const unsigned long long* /*addresses*/,
                           std::span<const std::uint64_t> /*scalars*/) {
    return false;
  }
  // After draw_inputs(): changes these inputs under another seed, into others that the file can compute. A
  // file that cannot do that computes them anew.
  virtual bool perturb_inputs(std::uint64_t seed, const unsigned long long* addresses,
                              std::span<const std::uint64_t> scalars) {
    return draw_inputs(seed, addresses, scalars);
  }
  // Before the launches of a call: for each launch, the seed of the random numbers that a problem's file
  // draws.
  virtual void begin_call(std::span<const std::uint64_t> /*seeds*/) {}
  // After the launches: whether the call failed although the next one may succeed (may_go_on_after()).
  virtual Fault fault_of_call() const { return Fault::none; }
  // Ends the rehearsal. Returns a report of it, in JSON.
  virtual UniqueFd lock() { return UniqueFd(); }
};

// A contestant in a shared library, with the entries of compile/binding.h.
class LibraryContestant : public Contestant {
 public:
  Entry load(const UniqueFd& file) override;
  bool draw_inputs(std::uint64_t seed, const unsigned long long* addresses,
                   std::span<const std::uint64_t> scalars) override;
  bool perturb_inputs(std::uint64_t seed, const unsigned long long* addresses,
                      std::span<const std::uint64_t> scalars) override;

 private:
  static bool write_inputs(Entry entry, std::uint64_t seed, const unsigned long long* addresses,
                           std::span<const std::uint64_t> scalars);

  // Null if no inputs are computed.
  Entry inputs_ = nullptr;
  Entry perturbed_ = nullptr;
};

// Returns the process's exit code: 0 when the referee has gone, 1 when the device cannot be used. Before the
// contestant is loaded, the process gives up starting others, unless it `may_start_programs` (tools in it do)
// or the contestant rehearses.
int run_worker(WorkerDevice& device, Contestant& contestant, int socket = connection_descriptor,
               bool may_start_programs = false);

// Asks the referee for a build while a contestant is being loaded, described or called. Returns the library,
// or the compiler's log. The result has no file if nothing can be built now.
struct BuiltFile {
  UniqueFd file;
  BuildAnswer kind = BuildAnswer::failed;
};
BuiltFile request_build(const UniqueFd& request);

// Waits until the referee asks for something, without reading it.
void wait_for_request(int socket = connection_descriptor);

// Answers the request that is being served with a fault, and ends the process. Safe in a signal handler, on
// any thread and on any stack.
[[noreturn]] void end_worker(Fault fault, std::uint64_t limit_bytes = 0);

}  // namespace kgrade
