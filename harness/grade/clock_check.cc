#include "grade/clock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace kgrade {
namespace {

double overhead(const ClockReading& reading) { return reading.settled - reading.reported; }

std::vector<double> overheads_of(const std::vector<ClockReading>& readings) {
  std::vector<double> overheads;
  for (const ClockReading& reading : readings) overheads.push_back(overhead(reading));
  return overheads;
}

// What the protocol takes in calls of a kind.
struct Usual {
  double milliseconds = 0;
  double deviation = 0;      // the median of how far calls are from that
  bool of_this_kind = true;  // otherwise of all calls, since there are too few
};

Usual usual_of(const std::vector<ClockReading>& reference, bool hidden) {
  std::vector<ClockReading> alike = reference;
  std::erase_if(alike, [hidden](const ClockReading& reading) { return reading.hidden != hidden; });
  const bool enough = alike.size() >= fewest_readings;
  std::vector<double> overheads = overheads_of(enough ? alike : reference);
  const double median = quantile(overheads, 0.5);
  for (double& value : overheads) value = std::abs(value - median);
  return {median, quantile(overheads, 0.5), enough};
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

double allowed(const ClockReading& reading, const Usual& usual, const ClockTolerance& tolerance) {
  const double always = tolerance.milliseconds + tolerance.share * reading.settled + 2 * usual.deviation;
  if (reading.hidden) return always;
  return always + tolerance.not_hidden + (usual.of_this_kind ? 0 : tolerance.strange);
}

}  // namespace

ClockTolerance clock_tolerance(TimesFor times_for) {
  switch (times_for) {
    case TimesFor::speed:
      return {0.025, 0.01, 0.05, 0.4, 0.25};
    case TimesFor::answers:
      return {0.1, 0.05, 0, 0.4};
    case TimesFor::nothing:
      break;
  }
  return {50, 0.5, 0, 0};
}

double spread_of_overheads(const std::vector<ClockReading>& readings) {
  const std::vector<double> overheads = overheads_of(readings);
  return quantile(overheads, 0.9) - quantile(overheads, 0.1);
}

std::optional<std::string> unexplained_time(const std::vector<ClockReading>& candidate,
                                            const std::vector<ClockReading>& reference,
                                            const ClockTolerance& tolerance) {
  if (candidate.size() < fewest_readings || reference.size() < fewest_readings) return std::nullopt;
  const Usual queued = usual_of(reference, true);
  const Usual unqueued = usual_of(reference, false);
  const std::vector<ClockReading> half = faster_half(candidate);
  std::vector<double> unexplained;
  std::vector<double> usual;
  for (const ClockReading& reading : half) {
    const Usual& protocol = reading.hidden ? queued : unqueued;
    const double excess = overhead(reading) - protocol.milliseconds;
    if (excess <= allowed(reading, protocol, tolerance)) continue;
    unexplained.push_back(excess);
    usual.push_back(protocol.milliseconds);
  }
  const double most = std::max(1.0, tolerance.calls * static_cast<double>(half.size()));
  if (static_cast<double>(unexplained.size()) <= most) return std::nullopt;
  return fmt::format(
      "{} of its {} faster calls take longer by the referee's clock than they report, by {:.3f} ms (median; "
      "{:.3f} ms of the protocol's own are allowed for)",
      unexplained.size(), half.size(), quantile(unexplained, 0.5), quantile(usual, 0.5));
}

}  // namespace kgrade
