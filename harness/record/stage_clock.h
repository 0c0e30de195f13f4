// Adds up the wall time of named stages. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/record.h"

namespace kgrade {

class StageClock {
 public:
  explicit StageClock(const Clock& clock) : clock_(clock) {}
  double now() const { return clock_.now(); }
  const Clock& clock() const { return clock_; }

  // Counts the time from its construction to its destruction.
  class Running {
   public:
    Running(StageClock& stages, std::string name)
        : stages_(stages), name_(std::move(name)), start_(stages.now()) {}
    ~Running() { stages_.add(name_, stages_.now() - start_); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    StageClock& stages_;
    std::string name_;
    double start_;
  };

  Running time(const std::string& stage) { return Running(*this, stage); }
  void add(const std::string& stage, double seconds) {
    const std::lock_guard lock(mutex_);
    for (StageTime& known : stages_) {
      if (known.name == stage) {
        known.seconds += seconds;
        return;
      }
    }
    stages_.push_back({stage, seconds});
  }
  std::vector<StageTime> stages() const {
    const std::lock_guard lock(mutex_);
    return stages_;
  }

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::vector<StageTime> stages_;
};

// The time added to each stage since `before`. Stages without added time are left out.
inline std::vector<StageTime> times_since(const std::vector<StageTime>& before, std::vector<StageTime> now) {
  for (StageTime& stage : now) {
    for (const StageTime& known : before) {
      if (known.name == stage.name) stage.seconds -= known.seconds;
    }
  }
  std::erase_if(now, [](const StageTime& stage) { return stage.seconds <= 0; });
  return now;
}

}  // namespace kgrade
