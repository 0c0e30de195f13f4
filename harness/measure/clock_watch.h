// The readings of the referee's clock in the calls of one case, and what has to be called besides so that
// those of the candidate and of the reference compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contest/arena.h"
#include "measure/clock_check.h"

namespace kgrade {

class ClockWatch {
 public:
  void saw_reference(const CallReport& report, std::uint32_t launches, CallKind kind = {});
  void saw_candidate(const CallReport& report, std::uint32_t launches, CallKind kind = {},
                     bool is_sample = false);

  // The calls that are missing, where some are; of a call, `capture_ms` is what capturing its outputs takes
  // at least.
  //
  // Uncaptured ones of both: where the capture takes long, since a hostile worker need not make that copy
  // (his kernel can write to where it goes), and where the contestant has the device's cache keep lines, or
  // says so, since an honest copy then takes up to three times as long. Unqueued ones of the reference: where
  // so many of the candidate's calls are not queued ahead that their times count.
  std::optional<CallKind> missing(double capture_ms) const;

  // What cannot be explained; see clock_check.h.
  std::optional<std::string> suspicion(const ClockTolerance& tolerance) const;
  // Whether all that it suspects is that the candidate is faster where its outputs are captured. Of one whose
  // host code is part of its time a few calls may just be slow, for which more of them make up; of one who
  // lies in the others all are.
  bool wants_more_uncaptured(const ClockTolerance& tolerance) const;
  // Of the reference's calls, of those that most are like.
  double spread() const;

 private:
  struct Seen {
    ClockReading reading;
    bool captured;
    bool keeps_lines;
    bool is_sample;  // becomes a speed
  };
  static Seen seen(const CallReport& report, std::uint32_t launches, CallKind kind, bool is_sample);
  // Time passes for each launch, and a call of fewer than the samples have says nothing about theirs.
  std::vector<ClockReading> readings(const std::vector<Seen>& calls, bool captured) const;
  bool keeps_lines() const;
  std::vector<double> sampled_ms() const;
  // Of the calls that are not captured.
  std::optional<std::string> unexplained_where_close(const ClockTolerance& tolerance) const;
  // What the fastest of those takes that the clock explains; nothing when there are none.
  std::optional<double> least_where_close(const ClockTolerance& tolerance) const;
  // Than that.
  std::optional<std::string> faster_where_captured(const ClockTolerance& tolerance) const;

  std::vector<Seen> candidate_;
  std::vector<Seen> reference_;
  std::uint32_t most_launches_ = 1;
};

}  // namespace kgrade
