// Speeds that want an explanation. Each function returns what is odd, in words with the figures, or nothing.
// All times are in milliseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "problem/case.h"
#include "record/device_info.h"

namespace kgrade {

using Suspicion = std::optional<std::string>;

// The least time that a case can take on a device, by hardware_bound_ms() of measure/roofline.h: from its
// ceilings where they have been measured, and its nominal peaks. 0 where neither is known.
double lower_bound_ms(const Case& bound, const DeviceInfo& device,
                      const std::optional<Ceilings>& ceilings = std::nullopt,
                      CacheState cache = CacheState::cold);

// Times that clocks above the nominal ones (clock_slack of measure/roofline.h) do not explain either: of more
// than an eighth of the calls, since speeds come from all of them.
Suspicion below_the_bound(const std::vector<double>& candidate_ms, double bound_ms);

// How much faster is suspicious: `floor_ms` below `factor` times as fast is noise.
struct SpeedTolerance {
  double factor = 2;
  double floor_ms = 0.05;
};

// The floor is that of a sample; of so many launches each has its share.
SpeedTolerance speed_tolerance(int launches = 1);

// Calls on contents that were there before, against calls on new ones.
Suspicion faster_on_old_contents(const std::vector<double>& fresh, const std::vector<double>& repeated,
                                 const SpeedTolerance& tolerance);

// Calls of which samples are kept, against those of the same contestant that are not measured.
Suspicion faster_when_measured(const std::vector<double>& unmeasured, const std::vector<double>& measured,
                               const SpeedTolerance& tolerance);

// The reference alone, before and after the candidate, and beside it: how fast it was. Alone its fastest call
// counts; beside a candidate all calls but the slowest eighth, since speeds come from all of them.
struct ReferenceTimes {
  std::vector<double> before;
  std::vector<double> during;
  std::vector<double> after;
};

Suspicion reference_disturbed(const ReferenceTimes& times);

}  // namespace kgrade
