// What grading a case needs of a contest, apart from how it is done: tests put a fake in its place.
#pragma once

#include <string>
#include <vector>

#include "contest/lease.h"
#include "contest/worker_process.h"
#include "spec/case.h"

namespace kgrade {

enum class Player { oracle, reference, candidate };

using Patience = WorkerProcess::Patience;

// All that the referee saw of one call.
struct CallReport {
  Fault fault = Fault::none;
  std::string detail;                    // of a fault
  int cuda_error = 0;                    // that the call left; see the CUDA Runtime API, cudaError_t
  std::uint64_t memory_limit_bytes = 0;  // of an allocation that failed, as the worker says; 0: not known
  double elapsed_ms = 0;                 // as the worker's device events say
  double wall_ms = 0;                    // by the referee's clock
  bool latency_hidden = false;
  Lease::Damage damage;
};

struct OutputComparison {
  std::string tensor;
  std::vector<std::int64_t> shape;
  Comparison comparison;
};

// One kind of call, timed or not: inputs drawn anew, outputs and guard zones filled with fresh random bits,
// the worker asked, then guard zones and inputs checked. Comparing the outputs is a step of its own.
class Arena {
 public:
  virtual ~Arena() = default;

  // False: times mean nothing on this device.
  virtual bool measures_speed() const = 0;

  // Waits for the candidate's worker, then loads the candidate.
  virtual Answer load_candidate(Patience worker_patience, Patience candidate_patience) = 0;

  // Buffers for a case; those of the case before go. An Error when the device has no room.
  virtual Result<Answer> sit(Player player, const Case& bound) = 0;
  // Gives the buffers of all players back.
  virtual void rise() = 0;

  virtual CallReport call(Player player, const Draw& draw, Patience patience) = 0;
  // Compares every output of a player with what the oracle's last call left.
  virtual std::vector<OutputComparison> compare(Player player) = 0;

  // After a comparison that failed, of the candidate's output number `output`: how many elements differ by
  // more than `limit`, and how many were never written.
  virtual std::uint64_t count_wrong(std::size_t output, double limit) = 0;
  virtual std::uint64_t count_unwritten(std::size_t output) = 0;

  // What a candidate that died in a call was about: the same call in a fresh worker that may write to its
  // inputs. Says which inputs or guard zones it then changes.
  virtual Lease::Damage diagnose(const Case& bound, const Draw& draw, Patience patience) = 0;

  // Ends the candidate's worker; it is no longer alive.
  virtual void retire_candidate() = 0;
  virtual bool candidate_alive() const = 0;
};

}  // namespace kgrade
