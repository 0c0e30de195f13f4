#include "measure/speed_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.h"
#include "measure/roofline.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

// How much the reference may differ beside a candidate, and how much noise adds.
constexpr double reference_slack = 0.15;
constexpr double reference_noise_ms = 0.02;
// The share of calls that remains when outliers, which move no speed, are left out.
constexpr double most_calls = 1 - 1.0 / calls_per_outlier;

// The lower median. A device that has been idle is slow at first, and noise only makes calls slower.
double usual_alone(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

double smallest(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

bool far_faster(double fast, double slow, const SpeedTolerance& tolerance) {
  return slow > tolerance.factor * fast && slow - fast > tolerance.floor_ms;
}

}  // namespace

Suspicion below_the_bound(const std::vector<double>& candidate_ms, double bound_ms) {
  if (candidate_ms.empty()) return std::nullopt;
  std::vector<double> sorted = candidate_ms;
  std::sort(sorted.begin(), sorted.end());
  const double fast = sorted[(sorted.size() - 1) / calls_per_outlier];
  if (fast >= clock_slack * bound_ms) return std::nullopt;
  return fmt::format(
      "{:.4f} ms is less than the device's memory and arithmetic need, {:.4f} ms: look at the kernel, or at "
      "the problem's `flops` and `bytes`",
      fast, bound_ms);
}

SpeedTolerance speed_tolerance(int launches) {
  return {.factor = suspicious_factor, .floor_ms = sample_noise_ms / launches};
}

Suspicion faster_on_old_contents(const std::vector<double>& fresh, const std::vector<double>& repeated,
                                 const SpeedTolerance& tolerance) {
  if (fresh.empty() || repeated.empty()) return std::nullopt;
  if (!far_faster(largest(repeated), smallest(fresh), tolerance)) return std::nullopt;
  return fmt::format("calls take {:.3f} ms at least on new inputs, {:.3f} ms at most on inputs seen before",
                     smallest(fresh), largest(repeated));
}

Suspicion faster_when_measured(const std::vector<double>& unmeasured, const std::vector<double>& measured,
                               const SpeedTolerance& tolerance) {
  if (unmeasured.empty() || measured.empty()) return std::nullopt;
  const double usual = quantile(measured, 0.5);
  if (!far_faster(usual, smallest(unmeasured), tolerance)) return std::nullopt;
  return fmt::format("calls that are not measured take {:.3f} ms at least, measured ones {:.3f} ms (median)",
                     smallest(unmeasured), usual);
}

Suspicion reference_disturbed(const ReferenceTimes& times) {
  if (times.before.empty() || times.during.empty() || times.after.empty()) return std::nullopt;
  const double before = usual_alone(times.before);
  const double after = usual_alone(times.after);
  const double during = quantile(times.during, most_calls);
  if (during <= (1 + reference_slack) * std::min(before, after) + reference_noise_ms) return std::nullopt;
  return fmt::format(
      "the reference takes {:.3f} ms before the candidate has been loaded, up to {:.3f} ms in seven of eight "
      "calls beside it, {:.3f} ms after",
      before, during, after);
}

}  // namespace kgrade
