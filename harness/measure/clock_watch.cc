#include "measure/clock_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.h"
#include "measure/speed_ratio.h"

namespace kgrade {
namespace {

// Captures that are shorter than this, or than this share of the call, can stay in the readings.
constexpr double short_capture_ms = 0.01;
constexpr double short_capture_share = 0.005;

// By how much times of the same kernel differ from one handful of calls to another.
constexpr double noise_ms = 0.01;
constexpr double noise_share = 0.03;
// By how many times that, of samples. Of few, a single one can make a speed; of many, one in sixteen cannot,
// and a device may be faster while it is cool.
constexpr double far = 4;
constexpr std::size_t samples_per_outlier = 16;

double median_reported(const std::vector<ClockReading>& readings) {
  std::vector<double> times;
  for (const ClockReading& reading : readings) times.push_back(reading.reported);
  return quantile(times, 0.5);
}

std::size_t count(const std::vector<ClockReading>& readings, bool hidden) {
  return static_cast<std::size_t>(
      std::count_if(readings.begin(), readings.end(),
                    [hidden](const ClockReading& reading) { return reading.hidden == hidden; }));
}

// Too many calls that report less than `least`, in words.
std::optional<std::string> many_below(const std::vector<ClockReading>& calls, double least) {
  const auto below = static_cast<std::size_t>(std::count_if(
      calls.begin(), calls.end(), [least](const ClockReading& call) { return call.reported < least; }));
  if (below <= std::max<std::size_t>(1, calls.size() / calls_per_outlier)) return std::nullopt;
  return fmt::format("{} of the {} others report less than {:.3f} ms", below, calls.size(), least);
}

// Any sample, but for a few of many.
std::optional<std::string> any_below(std::vector<double> samples, double least) {
  std::sort(samples.begin(), samples.end());
  const std::size_t outliers = samples.size() / samples_per_outlier;
  if (samples.empty() || samples[outliers] >= least) return std::nullopt;
  return fmt::format("{} of the {} samples report no more than {:.3f} ms", outliers + 1, samples.size(),
                     samples[outliers]);
}

// The reference is called there as most of the candidate's samples are.
ClockTolerance where_close(ClockTolerance tolerance) {
  tolerance.strange = 0;
  return tolerance;
}

}  // namespace

ClockWatch::Seen ClockWatch::seen(const CallReport& report, std::uint32_t launches, CallKind kind,
                                  bool is_sample) {
  const ClockReading reading{report.elapsed_ms, report.settled_ms, report.queued, launches};
  return {reading, kind.captures, report.keeps_lines, is_sample};
}

void ClockWatch::saw_reference(const CallReport& report, std::uint32_t launches, CallKind kind) {
  reference_.push_back(seen(report, launches, kind, false));
}

void ClockWatch::saw_candidate(const CallReport& report, std::uint32_t launches, CallKind kind,
                               bool is_sample) {
  most_launches_ = std::max(most_launches_, launches);
  candidate_.push_back(seen(report, launches, kind, is_sample));
}

std::vector<ClockReading> ClockWatch::readings(const std::vector<Seen>& calls, bool captured) const {
  std::vector<ClockReading> chosen;
  for (const Seen& call : calls) {
    if (call.reading.launches == most_launches_ && call.captured == captured) chosen.push_back(call.reading);
  }
  return chosen;
}

// Of a first call, which loads modules, that alone means little.
bool ClockWatch::keeps_lines() const {
  const auto keeps =
      std::count_if(candidate_.begin(), candidate_.end(), [](const Seen& call) { return call.keeps_lines; });
  return keeps > 1;
}

std::optional<CallKind> ClockWatch::missing(double capture_ms) const {
  const auto mine = readings(candidate_, true);
  if (mine.empty()) return std::nullopt;
  const std::size_t unqueued = count(mine, false);
  const double long_capture = short_capture_ms + short_capture_share * median_reported(mine);
  if (keeps_lines() || capture_ms > long_capture) return CallKind{2 * unqueued < mine.size(), false};
  // The first call on new buffers is never queued ahead.
  const bool often = unqueued >= std::max(fewest_readings, mine.size() / calls_per_outlier);
  if (often && count(readings(reference_, true), false) < fewest_readings) return CallKind{false, true};
  return std::nullopt;
}

std::optional<std::string> ClockWatch::suspicion(const ClockTolerance& tolerance) const {
  if (auto unexplained = unexplained_where_close(tolerance)) return unexplained;
  if (auto faster = faster_where_captured(tolerance)) return faster;
  if (keeps_lines()) return std::nullopt;
  return unexplained_time(readings(candidate_, true), readings(reference_, true), tolerance);
}

bool ClockWatch::wants_more_uncaptured(const ClockTolerance& tolerance) const {
  return !unexplained_where_close(tolerance) && faster_where_captured(tolerance);
}

std::optional<std::string> ClockWatch::unexplained_where_close(const ClockTolerance& tolerance) const {
  return unexplained_time(readings(candidate_, false), readings(reference_, false), where_close(tolerance));
}

std::optional<double> ClockWatch::least_where_close(const ClockTolerance& tolerance) const {
  const auto closer = readings(candidate_, false);
  if (closer.empty()) return std::nullopt;
  const auto least = least_explained(closer, readings(reference_, false), where_close(tolerance));
  return least.value_or(median_reported(closer));
}

std::vector<double> ClockWatch::sampled_ms() const {
  std::vector<double> times;
  for (const Seen& call : candidate_) {
    if (call.is_sample) times.push_back(call.reading.reported);
  }
  return times;
}

// Who is honest where the clock is close takes as long elsewhere.
std::optional<std::string> ClockWatch::faster_where_captured(const ClockTolerance& tolerance) const {
  const auto least = least_where_close(tolerance);
  if (!least) return std::nullopt;
  const double close = *least;
  const auto captured = readings(candidate_, true);
  // Where nothing is queued ahead, what the host does is part of the time.
  const bool unqueued = 2 * count(captured, false) > captured.size();
  const double noise = noise_ms + noise_share * close + (unqueued ? tolerance.not_hidden : 0);
  auto found = many_below(captured, close - noise);
  if (!found) found = any_below(sampled_ms(), close - far * noise);
  if (!found) return std::nullopt;
  return fmt::format(
      "its calls take {:.3f} ms or more where outputs are not copied before the referee's clock stops, which "
      "is closer then; {}",
      close, *found);
}

double ClockWatch::spread() const {
  std::vector<ClockReading> calls = readings(reference_, true);
  const bool hidden = 2 * count(calls, true) >= calls.size();
  std::erase_if(calls, [hidden](const ClockReading& reading) { return reading.hidden != hidden; });
  return calls.empty() ? 0 : spread_of_overheads(calls);
}

}  // namespace kgrade
