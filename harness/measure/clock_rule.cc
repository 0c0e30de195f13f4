#include "measure/clock_rule.h"

#include <algorithm>
#include <limits>

#include "base/statistics.h"

namespace kgrade {
namespace {

constexpr double lower_quartile = 0.25;

template <class Choose>
std::vector<double> overheads_of(const std::vector<ClockReading>& readings, Choose choose) {
  std::vector<double> overheads;
  for (const ClockReading& reading : readings) {
    if (choose(reading.kind)) overheads.push_back(reading.overhead());
  }
  return overheads;
}

}  // namespace

double clock_tolerance_of(const ClockReading& reading) {
  const double tolerance = clock_tolerance_ms + clock_tolerance_share * reading.settled;
  return reading.kind.queued ? tolerance : tolerance + unqueued_tolerance_ms;
}

double ClockRule::protocol_ms(const ClockKind& kind) const {
  for (const auto& [known, milliseconds] : known_) {
    if (known == kind) return milliseconds;
  }
  return known_.emplace_back(kind, protocol_of_all(kind)).second;
}

double ClockRule::protocol_of_all(const ClockKind& kind) const {
  std::vector<double> overheads = overheads_of(reference_, [&](const ClockKind& one) { return one == kind; });
  if (overheads.size() < fewest_of_a_kind) {
    overheads = overheads_of(reference_, [&](const ClockKind& one) {
      return one.launches == kind.launches && one.captured == kind.captured;
    });
  }
  if (overheads.size() < fewest_of_a_kind)
    overheads = overheads_of(reference_, [](const ClockKind&) { return true; });
  const double now = quantile(overheads, lower_quartile);
  const std::vector<double> before =
      overheads_of(alone_, [&](const ClockKind& one) { return one.queued == kind.queued; });
  // Each launch of a call has its share of the protocol, and no more than one launch has alone.
  const double most = before.empty()
                          ? std::numeric_limits<double>::infinity()
                          : most_protocol_growth * kind.launches * quantile(before, lower_quartile);
  return std::max(0.0, std::min(now, most));
}

double ClockRule::attested_ms(const ClockReading& reading) const {
  return std::max(0.0, reading.settled - protocol_ms(reading.kind) - clock_tolerance_of(reading));
}

double ClockRule::counted_ms(const ClockReading& reading) const {
  return std::max(reading.reported, attested_ms(reading));
}

}  // namespace kgrade
