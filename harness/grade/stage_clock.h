// Adds up the wall time of named stages. Safe to use from several threads.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "report/record.h"

namespace kgrade {

class StageClock {
 public:
  // Counts from its construction to its destruction.
  class Running {
   public:
    Running(StageClock& clock, std::string name)
        : clock_(clock), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {}
    ~Running() {
      clock_.add(name_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    StageClock& clock_;
    std::string name_;
    std::chrono::steady_clock::time_point start_;
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
  std::vector<StageTime> stages() const { return stages_; }

 private:
  std::mutex mutex_;
  std::vector<StageTime> stages_;
};

}  // namespace kgrade
