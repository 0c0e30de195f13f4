#include "grade/clock_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace kgrade {
namespace {

// The first call of a case is of a kind that no other may be.
constexpr std::size_t fewest_of_a_kind = 2;

// By how much times of the same kernel differ from one handful of calls to another.
constexpr double share_of_noise = 0.03;

double median_reported(const std::vector<ClockReading>& readings) {
  std::vector<double> times;
  for (const ClockReading& reading : readings) times.push_back(reading.reported);
  return quantile(times, 0.5);
}

std::size_t count_unqueued(const std::vector<ClockReading>& readings) {
  return static_cast<std::size_t>(std::count_if(readings.begin(), readings.end(),
                                                [](const ClockReading& reading) { return !reading.hidden; }));
}

}  // namespace

ClockWatch::Seen ClockWatch::seen(const CallReport& report, std::uint32_t launches, CallKind kind) {
  return {{report.elapsed_ms, report.settled_ms, report.latency_hidden, launches},
          kind.captures,
          report.keeps_lines};
}

void ClockWatch::saw_reference(const CallReport& report, std::uint32_t launches, CallKind kind) {
  reference_.push_back(seen(report, launches, kind));
}

void ClockWatch::saw_candidate(const CallReport& report, std::uint32_t launches, CallKind kind) {
  most_launches_ = std::max(most_launches_, launches);
  candidate_.push_back(seen(report, launches, kind));
}

std::vector<ClockReading> ClockWatch::readings(const std::vector<Seen>& calls, bool captured) const {
  std::vector<ClockReading> chosen;
  for (const Seen& call : calls) {
    if (call.reading.launches == most_launches_ && call.captured == captured) chosen.push_back(call.reading);
  }
  return chosen;
}

bool ClockWatch::wants_unqueued() const {
  return count_unqueued(readings(candidate_, true)) >= fewest_of_a_kind &&
         count_unqueued(readings(reference_, true)) < fewest_readings;
}

bool ClockWatch::wants_uncaptured() const {
  const auto keeps_lines = [](const Seen& call) { return call.keeps_lines; };
  return static_cast<std::size_t>(std::count_if(candidate_.begin(), candidate_.end(), keeps_lines)) >=
         fewest_of_a_kind;
}

std::optional<std::string> ClockWatch::suspicion(const ClockTolerance& tolerance) const {
  const auto closer = readings(candidate_, false);
  if (closer.empty())
    return unexplained_time(readings(candidate_, true), readings(reference_, true), tolerance);
  const auto unexplained = unexplained_time(closer, readings(reference_, false), tolerance);
  return unexplained ? unexplained : other_times_uncaptured(tolerance);
}

// Who is honest where the clock can be held against him takes as long elsewhere.
std::optional<std::string> ClockWatch::other_times_uncaptured(const ClockTolerance& tolerance) const {
  const double checked = median_reported(readings(candidate_, false));
  const double counted = median_reported(readings(candidate_, true));
  const double noise = tolerance.milliseconds + share_of_noise * std::max(checked, counted);
  if (std::abs(checked - counted) <= noise) return std::nullopt;
  return fmt::format(
      "its calls take {:.3f} ms (median) where their outputs are copied before the referee's clock stops, "
      "and "
      "{:.3f} ms where they are not and the clock is closer",
      counted, checked);
}

double ClockWatch::spread() const { return spread_of_overheads(readings(reference_, true)); }

}  // namespace kgrade
