// How long a sweep still takes.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace kgrade {

// From the rate of the last results: those of the beginning were slower, or faster, than what is left.
class TimeLeft {
 public:
  static constexpr std::size_t window = 50;

  explicit TimeLeft(double now) : times_{now} {}
  // Seconds of a clock that does not go back.
  void result_at(double now);
  // Nothing before the second result.
  std::optional<double> seconds(std::size_t left, double now) const;

 private:
  std::deque<double> times_;
};

// What is said now and then in a log: the first time when a minute has passed.
class Seldom {
 public:
  static constexpr double seconds = 60;

  explicit Seldom(double now) : last_(now) {}
  // Whether it is time to say it, and then it counts as said.
  bool is_due(double now);

 private:
  double last_;
};

// "about 3 min left", "about 2.5 h left", "less than a minute left".
std::string describe_time_left(double seconds);

}  // namespace kgrade
