// Speeds that want an explanation. Each function returns what is odd, in words with the figures, or nothing.
// All times are in milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgrade {

using Suspicion = std::optional<std::string>;

// Times below the hardware's bound (hardware_bound_ms() of measure/roofline.h) that clocks above the nominal
// ones (clock_slack) do not explain either: of more than an eighth of the calls, since speeds come from all
// of them.
Suspicion below_the_bound(const std::vector<double>& candidate_ms, double bound_ms);

// A launch is suspiciously fast if it is more than `factor` times as fast and `floor_ms` shorter. Less is
// noise.
inline constexpr double suspicious_factor = 2;
inline constexpr double sample_noise_ms = 0.05;  // of a whole call
struct SpeedTolerance {
  double factor = suspicious_factor;
  double floor_ms = sample_noise_ms;
};

// Each of so many launches of a call has its share of the noise.
SpeedTolerance speed_tolerance(int launches = 1);

// Calls on contents that were there before, against calls on new ones.
Suspicion faster_on_old_contents(const std::vector<double>& fresh, const std::vector<double>& repeated,
                                 const SpeedTolerance& tolerance);

// Calls of which samples are kept, against those of the same contestant that are not measured.
Suspicion faster_when_measured(const std::vector<double>& unmeasured, const std::vector<double>& measured,
                               const SpeedTolerance& tolerance);

// How fast the reference was: alone before and after the candidate, and beside it. Alone the lower median of
// its calls counts, before or after, whichever is faster, since noise makes calls slower only. Beside the
// candidate all calls but the slowest eighth count, since speeds come from all of them. A reference that is
// slower beside the candidate makes the candidate seem faster than it is. One that is faster there does not.
struct ReferenceTimes {
  std::vector<double> before;
  std::vector<double> during;
  std::vector<double> after;
};

Suspicion reference_disturbed(const ReferenceTimes& times);

}  // namespace kgrade
