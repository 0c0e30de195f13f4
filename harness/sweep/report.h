// Reports a sweep to people: a line for each result, the time left, and a summary.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "record/ci_formats.h"
#include "record/terminal.h"
#include "sweep/sweep.h"

namespace kgrade {

// Estimates the time left from the rate of the latest results, since the rate may change during a sweep.
class TimeLeft {
 public:
  static constexpr std::size_t window = 50;

  explicit TimeLeft(double now) : times_{now} {}
  // `now`: seconds of a monotonic clock.
  void result_at(double now);
  // Nothing before the second result.
  std::optional<double> seconds(std::size_t left, double now) const;

 private:
  std::deque<double> times_;
};

// Limits how often something is logged: once in `seconds`, for the first time `seconds` after the
// construction.
class LogInterval {
 public:
  static constexpr double of_grading = 60;
  static constexpr double of_reading = 5;

  LogInterval(double now, double seconds) : last_(now), seconds_(seconds) {}
  // True if it is time to log. The caller then has to log.
  bool is_due(double now);

 private:
  double last_;
  double seconds_;
};

// "about 3 min left", "about 2.5 h left", "less than a minute left".
std::string describe_time_left(double seconds);

// "accepted  conv-.../naive.cu  1.48x cudnn-fp32": the line for a new result.
std::string result_line(const Record& record, const Style& style);

// A row for each candidate, the reasons of candidates without a verdict, and a line of counts.
std::string render_summary(const SweepOutcome& outcome, const Style& style);

// The candidates without a verdict, for CI systems. They get the device of the results.
std::vector<Ungraded> ungraded_of(const SweepOutcome& outcome);

}  // namespace kgrade
