#include "grade/clock_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/statistics.h"

namespace kgrade {
namespace {

constexpr std::size_t fewest_readings = 3;

double overhead(const ClockReading& reading) { return reading.settled - reading.reported; }

double usual_overhead(const std::vector<ClockReading>& reference) {
  std::vector<double> overheads;
  for (const ClockReading& reading : reference) overheads.push_back(overhead(reading));
  return quantile(overheads, 0.5);
}

// The calls that decide what the median is.
std::vector<ClockReading> faster_half(const std::vector<ClockReading>& readings) {
  std::vector<double> reported;
  for (const ClockReading& reading : readings) reported.push_back(reading.reported);
  const double median = quantile(reported, 0.5);
  std::vector<ClockReading> half = readings;
  std::erase_if(half, [median](const ClockReading& reading) { return reading.reported > median; });
  return half;
}

double allowed(const ClockReading& reading, const ClockTolerance& tolerance) {
  return tolerance.milliseconds + tolerance.share * reading.settled +
         (reading.hidden ? 0 : tolerance.not_hidden);
}

}  // namespace

ClockTolerance clock_tolerance(bool measures_speed) {
  return measures_speed ? ClockTolerance{0.1, 0.05, 0.4} : ClockTolerance{50, 0.5, 0};
}

double spread_of_overheads(const std::vector<ClockReading>& readings) {
  std::vector<double> overheads;
  for (const ClockReading& reading : readings) overheads.push_back(overhead(reading));
  return quantile(overheads, 0.9) - quantile(overheads, 0.1);
}

std::optional<std::string> unexplained_time(const std::vector<ClockReading>& candidate,
                                            const std::vector<ClockReading>& reference,
                                            const ClockTolerance& tolerance) {
  if (candidate.size() < fewest_readings || reference.size() < fewest_readings) return std::nullopt;
  const double usual = usual_overhead(reference);
  const std::vector<ClockReading> half = faster_half(candidate);
  std::vector<double> unexplained;
  for (const ClockReading& reading : half) {
    const double excess = overhead(reading) - usual;
    if (excess > allowed(reading, tolerance)) unexplained.push_back(excess);
  }
  if (2 * unexplained.size() <= half.size()) return std::nullopt;
  return fmt::format(
      "{} of its {} faster calls take longer by the referee's clock than they report, by {:.3f} ms (median; "
      "{:.3f} ms of the protocol's own are allowed for)",
      unexplained.size(), half.size(), quantile(unexplained, 0.5), usual);
}

}  // namespace kgrade
