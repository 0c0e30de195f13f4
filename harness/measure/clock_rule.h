// The clock rule: how long a call counts as having taken. A worker reports a time, and may lie. The referee's
// own clock runs from the moment when a call can begin until the device does something for the referee again,
// so it includes the protocol. What the protocol takes is seen in the reference's calls of the same kind.
// A call counts as the larger of
//   what the worker reported, and
//   settled - protocol - tolerance, which the referee's clock attests.
// Nothing is dropped, and times never accuse: a lie gains at most the tolerance, and a busy machine makes a
// sample slower.
//
// Samples (record/speed.h) hold the times of one launch. The protocol and the tolerance are those of a whole
// call, of which each launch has its share. All times are in milliseconds.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The tolerance: by how much the overheads of honest calls exceed those of the reference. Of 8,250 samples of
// honest kernels on a quiet H200 0.6 % were beyond it, at most 10 % in any of 222 cases. It is never
// estimated from noise: an adversary can make noise.
inline constexpr double clock_tolerance_ms = 0.025;
inline constexpr double clock_tolerance_share = 0.01;  // of the referee's time
// More for a call that was not queued: after the contestant has waited for the device, nothing hides what its
// host code and the machine do.
inline constexpr double unqueued_tolerance_ms = 0.05;

// The protocol may take so many times as long beside a candidate as before it was loaded: a candidate that
// slows the reference's calls down would be believed otherwise.
inline constexpr double most_protocol_growth = 1.25;

// What the protocol takes is this quantile of the reference's overheads, the lower quartile: a low one, since
// noise makes calls slower only.
inline constexpr double protocol_quantile = 0.25;

// Fewer calls of the reference of one kind say too little.
inline constexpr std::size_t fewest_of_a_kind = 3;

// The case is unstable if more samples than this share were raised: the machine, or the worker, is not to be
// believed.
inline constexpr double most_raised = 0.25;

// Of a call like this, all of its launches.
double clock_tolerance_of(const Sample& sample);

class ClockRule {
 public:
  // `alone`: the reference's calls before the candidate was loaded, of one launch each; empty: not known.
  explicit ClockRule(std::vector<Sample> alone = {}) : alone_(std::move(alone)) {}

  void saw_reference(const Sample& sample) {
    reference_.push_back(sample);
    known_.clear();
  }

  // What the protocol takes in a call of this kind. Where the reference has too few, those of its calls count
  // that are queued otherwise, or all.
  double protocol_ms(const SampleKind& kind) const;
  // What the referee's clock attests of one launch, at least 0.
  double attested_ms(const Sample& sample) const;
  // Gives every sample its attested time. The reference is the first arm of the blocks, the candidate the
  // last one; there is at least one block.
  ClockRecord attest(std::vector<Block>& blocks) const;

 private:
  std::vector<Sample> alone_;
  std::vector<Sample> reference_;
  // By kind, since it is wanted for every sample: a case has thousands of them, of one or two kinds.
  mutable std::vector<std::pair<SampleKind, double>> known_;

  double protocol_of_all(const SampleKind& kind) const;
};

// True if the case is unstable.
bool are_too_many_raised(const ClockRecord& clock);

}  // namespace kgrade
