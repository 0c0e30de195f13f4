// Finds speeds that need an explanation. Each function returns a suspicion, in words with the figures, or
// nothing. All times are in milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgrade {

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
