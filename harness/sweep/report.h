// What a sweep tells people: a line as each result comes, how long it still takes, and what it came to.
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

// From the rate of the last results: those of the beginning were slower, or faster, than what is left.
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

// Limits how often something is logged: once in so many seconds, the first time after as many.
class LogInterval {
 public:
  static constexpr double of_grading = 60;
  static constexpr double of_reading = 5;

  LogInterval(double now, double seconds) : last_(now), seconds_(seconds) {}
  // True if it is time to log it, which then counts as done.
  bool is_due(double now);

 private:
  double last_;
  double seconds_;
};

// "about 3 min left", "about 2.5 h left", "less than a minute left".
std::string describe_time_left(double seconds);

// "accepted  conv-.../naive.cu  1.48x cudnn-fp32", for a line as each result comes.
std::string result_line(const Record& record, const Style& style);

// A row for each candidate, those without a verdict with the reason, and a line of counts.
std::string render_summary(const SweepOutcome& outcome, const Style& style);

// Those without a verdict, for CI systems: on the device of the other results.
std::vector<Ungraded> ungraded_of(const SweepOutcome& outcome);

}  // namespace kgrade
