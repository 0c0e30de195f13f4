#include "measure/clock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "measure/speed_ratio.h"

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

// Which of a candidate's calls the protocol and the tolerance explain.
class Explanation {
 public:
  Explanation(const std::vector<ClockReading>& reference, const ClockTolerance& tolerance)
      : tolerance_(tolerance), queued_(usual_of(reference, true)), unqueued_(usual_of(reference, false)) {}

  const Usual& usual(const ClockReading& reading) const { return reading.hidden ? queued_ : unqueued_; }
  double excess(const ClockReading& reading) const { return overhead(reading) - usual(reading).milliseconds; }
  bool covers(const ClockReading& reading) const {
    return excess(reading) <= allowed(reading) + strange(reading);
  }
  // Without what is allowed for since nothing is known of such calls.
  bool attests(const ClockReading& reading) const { return excess(reading) <= allowed(reading); }

  // What a call that is not covered has to report, where this is the least that an attested one does.
  double least_credible(double least) const {
    return tolerance_.shorter > 0 ? (1 - tolerance_.shorter) * least - tolerance_.milliseconds : 0;
  }

 private:
  double allowed(const ClockReading& reading) const {
    const Usual& usual = this->usual(reading);
    const double always = tolerance_.milliseconds + tolerance_.share * reading.settled + 2 * usual.deviation;
    return reading.hidden ? always : always + tolerance_.not_hidden;
  }
  double strange(const ClockReading& reading) const {
    return reading.hidden || unqueued_.of_this_kind ? 0 : tolerance_.strange;
  }

  const ClockTolerance& tolerance_;
  Usual queued_;
  Usual unqueued_;
};

template <class Choose>
const ClockReading* shortest_of(const std::vector<ClockReading>& calls, Choose choose) {
  const ClockReading* shortest = nullptr;
  for (const ClockReading& call : calls) {
    if (choose(call) && (shortest == nullptr || call.reported < shortest->reported)) shortest = &call;
  }
  return shortest;
}

// The measure for those that are not covered: the others, where there are none that are better known.
const ClockReading* shortest_known(const std::vector<ClockReading>& calls, const Explanation& explanation) {
  const auto* const attested =
      shortest_of(calls, [&](const ClockReading& call) { return explanation.attests(call); });
  if (attested != nullptr) return attested;
  return shortest_of(calls, [&](const ClockReading& call) { return explanation.covers(call); });
}

std::optional<std::string> short_and_unexplained(const std::vector<ClockReading>& calls,
                                                 const Explanation& explanation) {
  const auto* const shortest =
      shortest_of(calls, [&](const ClockReading& call) { return !explanation.covers(call); });
  const auto* const known = shortest_known(calls, explanation);
  if (shortest == nullptr || known == nullptr) return std::nullopt;
  if (shortest->reported >= explanation.least_credible(known->reported)) return std::nullopt;
  return fmt::format(
      "a call reports {:.3f} ms and takes {:.3f} ms longer by the referee's clock (beyond {:.3f} ms of the "
      "protocol's own); of the calls that agree with that clock, none reports less than {:.3f} ms",
      shortest->reported, explanation.excess(*shortest), explanation.usual(*shortest).milliseconds,
      known->reported);
}

}  // namespace

ClockTolerance clock_tolerance(TimesFor times_for) {
  switch (times_for) {
    case TimesFor::speed:
      return {0.025, 0.01, 0.05, 0.1, 2.0 / calls_per_outlier, 0.05};
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

std::optional<double> least_explained(const std::vector<ClockReading>& candidate,
                                      const std::vector<ClockReading>& reference,
                                      const ClockTolerance& tolerance) {
  if (reference.size() < fewest_readings) return std::nullopt;
  const ClockReading* const known = shortest_known(candidate, Explanation(reference, tolerance));
  return known != nullptr ? std::optional(known->reported) : std::nullopt;
}

std::optional<std::string> unexplained_time(const std::vector<ClockReading>& candidate,
                                            const std::vector<ClockReading>& reference,
                                            const ClockTolerance& tolerance) {
  if (candidate.size() < fewest_readings || reference.size() < fewest_readings) return std::nullopt;
  const Explanation explanation(reference, tolerance);
  const std::vector<ClockReading> half = faster_half(candidate);
  std::vector<double> unexplained;
  std::vector<double> usual;
  for (const ClockReading& reading : half) {
    if (explanation.covers(reading)) continue;
    unexplained.push_back(explanation.excess(reading));
    usual.push_back(explanation.usual(reading).milliseconds);
  }
  // Where many report the same, the faster half is more than half of them.
  const double faster = std::ceil(static_cast<double>(candidate.size()) / 2);
  const double most = std::max(1.0, tolerance.calls * faster);
  if (static_cast<double>(unexplained.size()) <= most) return short_and_unexplained(candidate, explanation);
  return fmt::format(
      "{} of its {} faster calls take longer by the referee's clock than they report, by {:.3f} ms (median; "
      "{:.3f} ms of the protocol's own are allowed for)",
      unexplained.size(), half.size(), quantile(unexplained, 0.5), quantile(usual, 0.5));
}

}  // namespace kgrade
