// The readings of the referee's clock in the calls of one case, and what has to be called besides so that
// those of the candidate and of the reference compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contest/arena.h"
#include "grade/clock_check.h"

namespace kgrade {

class ClockWatch {
 public:
  void saw_reference(const CallReport& report, std::uint32_t launches, CallKind kind = {});
  void saw_candidate(const CallReport& report, std::uint32_t launches, CallKind kind = {});

  // Nothing of the candidate's calls is queued ahead, or seldom, and too few of the reference's were so: it
  // is to be called `unqueued`.
  bool wants_unqueued() const;
  // It has the device's cache keep lines for it, or says so, which leaves less of the cache to what follows
  // its kernels: the capture of a large output can take three times as long. Both are to be called
  // `uncaptured`.
  bool wants_uncaptured() const;
  static constexpr CallKind unqueued{false, true};
  static constexpr CallKind uncaptured{false, false};

  // What cannot be explained; see clock_check.h.
  std::optional<std::string> suspicion(const ClockTolerance& tolerance) const;
  // Of the reference's calls.
  double spread() const;

 private:
  struct Seen {
    ClockReading reading;
    bool captured;
    bool keeps_lines;
  };
  static Seen seen(const CallReport& report, std::uint32_t launches, CallKind kind);
  // Time passes for each launch, and a call of fewer than the samples have says nothing about theirs.
  std::vector<ClockReading> readings(const std::vector<Seen>& calls, bool captured) const;
  std::optional<std::string> other_times_uncaptured(const ClockTolerance& tolerance) const;

  std::vector<Seen> candidate_;
  std::vector<Seen> reference_;
  std::uint32_t most_launches_ = 1;
};

}  // namespace kgrade
