// A clock interface: the real clock, or one that a test moves.
#pragma once

#include <chrono>

namespace kgrade {

class Clock {
 public:
  virtual ~Clock() = default;
  // Seconds since some fixed moment; never runs backwards.
  virtual double now() const = 0;
};

class SteadyClock : public Clock {
 public:
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace kgrade
