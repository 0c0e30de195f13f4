// The clock rule decides which time counts for a call. A worker reports a time, and may lie. The referee's
// own clock runs from the moment when a call can begin until the device does something for the referee again,
// so it includes the protocol. The reference's calls of the same kind show how long the protocol takes. A
// call counts as the larger of
//   the time that the worker reported, and
//   settled - protocol - tolerance, which the referee's clock attests.
// Nothing is dropped, and times never accuse: a lie gains at most the tolerance, and a busy machine makes a
// sample slower.
//
// Samples (record/speed.h) hold the times of one launch. Protocol and tolerance belong to a whole call, and
// each launch has an equal share of them. All times are in milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kgrade {

// The tolerance: how far the overheads of honest calls may exceed those of the reference. On a quiet H200,
// 0.6 % of 8,250 samples of honest kernels were beyond it, at most 10 % in any of 222 cases. It is never
// estimated from noise: an adversary can make noise.
inline constexpr double clock_tolerance_ms = 0.025;
inline constexpr double clock_tolerance_share = 0.01;  // of the referee's time
// More tolerance for a call that was not queued: after the contestant has waited for the device, nothing
// hides the time of its host code and of the machine.
inline constexpr double unqueued_tolerance_ms = 0.05;

// The protocol may take at most this many times as long beside a candidate as before it was loaded.
// Otherwise, a candidate that slows the reference's calls down would be believed.
inline constexpr double most_protocol_growth = 1.25;

// The time of the protocol is this quantile of the reference's overheads. It is low because noise only makes
// calls slower.
inline constexpr double protocol_quantile = 0.25;

// Fewer calls of the reference of one kind show too little.
inline constexpr std::size_t fewest_of_a_kind = 3;

// The case is unstable if more than this share of the samples was raised: the machine or the worker cannot be
// believed.
inline constexpr double most_raised = 0.25;

// The tolerance of a whole call like this one, with all its launches.
double clock_tolerance_of(const Sample& sample);

class ClockRule {
 public:
  // `alone`: the reference's calls before the candidate was loaded, of one launch each; empty if unknown.
  explicit ClockRule(std::vector<Sample> alone = {}) : alone_(std::move(alone)) {}

  void saw_reference(const Sample& sample) {
    reference_.push_back(sample);
    known_.clear();
  }

  // How long the protocol takes in a call of this kind. If the reference has too few such calls, its calls of
  // the kind that differs only in `queued` are used, or else all its calls.
  double protocol_ms(const SampleKind& kind) const;
  // The time of one launch that the referee's clock attests, at least 0.
  double attested_ms(const Sample& sample) const;
  // Gives every sample its attested time. The reference is the first arm of the blocks, the candidate the
  // last one. There is at least one block.
  ClockRecord attest(std::vector<Block>& blocks) const;

 private:
  std::vector<Sample> alone_;
  std::vector<Sample> reference_;
  // By kind. Every sample needs it, and a case has thousands of samples of one or two kinds.
  mutable std::vector<std::pair<SampleKind, double>> known_;

  double protocol_of_all(const SampleKind& kind) const;
};

// Whether the case is unstable.
bool are_too_many_raised(const ClockRecord& clock);

// If one of every two blocks is captured, voids the captured or the uncaptured blocks: those with the higher
// speedup of the candidate, the last arm, over the reference. A worker that leaves out its capture gains time
// only in captured blocks.
void keep_slower_half(std::vector<Block>& blocks);

// Finds speeds that need an explanation. Each function returns a suspicion, in words with the figures, or
// nothing.
using Suspicion = std::optional<std::string>;

// Times below the hardware's bound (hardware_bound_ms() of measure/roofline.h), even if clocks are above the
// nominal ones (clock_slack). More than an eighth of the calls must be below it, since speeds come from all
// calls.
Suspicion below_the_bound(const std::vector<double>& candidate_ms, double bound_ms);

// A launch is suspiciously fast if it is more than `factor` times as fast and more than `floor_ms` shorter.
// Smaller differences are noise.
inline constexpr double suspicious_factor = 2;
inline constexpr double sample_noise_ms = 0.05;  // of a whole call
struct SpeedTolerance {
  double factor = suspicious_factor;
  double floor_ms = sample_noise_ms;
};

// The tolerance of one launch: each launch of a call has an equal share of the noise.
SpeedTolerance speed_tolerance(int launches = 1);

// Compares calls on contents that the candidate has seen, entirely or mostly, with calls on new contents.
Suspicion faster_on_old_contents(const std::vector<double>& fresh, const std::vector<double>& repeated,
                                 const SpeedTolerance& tolerance);

// Compares calls whose samples are kept with calls of the same contestant that are not measured.
Suspicion faster_when_measured(const std::vector<double>& unmeasured, const std::vector<double>& measured,
                               const SpeedTolerance& tolerance);

// How fast the reference was: alone before and after the candidate, and beside it. For the reference alone,
// the lower median of its calls before or after the candidate counts, whichever is faster, since noise only
// makes calls slower. Beside the candidate, all calls except the slowest eighth count, since speeds come from
// all of them. A reference that is slower beside the candidate makes the candidate seem faster than it is. A
// faster one does not.
struct ReferenceTimes {
  std::vector<double> before;
  std::vector<double> during;
  std::vector<double> after;
};

Suspicion reference_disturbed(const ReferenceTimes& times);

}  // namespace kgrade
