// How long a call counts as having taken. A worker reports a time, and may lie; the referee's own clock runs
// from the moment when a call can begin until the device does something for the referee again, so it includes
// the protocol. What the protocol takes is seen in the reference's calls of the same kind. A call counts as
// the larger of
//   what the worker reported, and
//   settled - protocol - tolerance, which the referee's clock attests.
// Nothing is dropped, and times never accuse: a lie gains at most the tolerance, and a busy machine makes a
// sample slower. All times are in milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "record/speed.h"

namespace kgrade {

// Calls of one kind take the protocol equally long.
struct ClockKind {
  std::uint32_t launches = 1;
  bool queued = true;    // all launches were queued before the call could begin
  bool captured = true;  // outputs were copied when the worker's clock stopped

  bool operator==(const ClockKind&) const = default;
};

struct ClockReading {
  double reported = 0;  // by the worker, of all launches
  double settled = 0;   // by the referee, see CallReport::settled_ms
  ClockKind kind;

  double overhead() const { return settled - reported; }
  double of_one_launch(double ms) const { return ms / kind.launches; }
  Sample sample(Purpose purpose) const { return {of_one_launch(reported), purpose}; }
};

// By how much the overheads of honest calls exceed those of the reference. Of 8,250 samples of honest kernels
// on a quiet H200 0.6 % were beyond it, at most 10 % in any of 222 cases. It is never estimated from noise:
// an adversary can make noise.
inline constexpr double clock_tolerance_ms = 0.025;
inline constexpr double clock_tolerance_share = 0.01;  // of the referee's time
// More for a call that was not queued: after the contestant has waited for the device, nothing hides what its
// host code and the machine do.
inline constexpr double unqueued_tolerance_ms = 0.05;

// The protocol may take so many times as long beside a candidate as before it was loaded: a candidate that
// slows the reference's calls down would be believed otherwise.
inline constexpr double most_protocol_growth = 1.25;

// The case is unstable if more samples than this share were raised: the machine, or the worker, is not to be
// believed.
inline constexpr double most_raised = 0.25;

double clock_tolerance_of(const ClockReading& reading);

class ClockRule {
 public:
  // `alone`: the reference's calls before the candidate was loaded, of one launch each; empty: not known.
  explicit ClockRule(std::vector<ClockReading> alone = {}) : alone_(std::move(alone)) {}

  void saw_reference(const ClockReading& reading) {
    reference_.push_back(reading);
    known_.clear();
  }
  // Fewer of a kind say too little: then those count that are queued otherwise, or all.
  static constexpr std::size_t fewest_of_a_kind = 3;

  // What the protocol takes in such a call: the lower quartile of the reference's overheads.
  double protocol_ms(const ClockKind& kind) const;
  // What the referee's clock attests of the call, at least 0.
  double attested_ms(const ClockReading& reading) const;
  double counted_ms(const ClockReading& reading) const;
  bool raises(const ClockReading& reading) const { return counted_ms(reading) > reading.reported; }

 private:
  std::vector<ClockReading> alone_;
  std::vector<ClockReading> reference_;
  // By kind, since every sample asks: a case has thousands of them, of one or two kinds.
  mutable std::vector<std::pair<ClockKind, double>> known_;

  double protocol_of_all(const ClockKind& kind) const;
};

}  // namespace kgrade
