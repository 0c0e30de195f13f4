// The time that a candidate causes: its build, loading it, its rehearsal and its calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>

namespace kgrade {

// Thread-safe. One candidate is counted at a time.
class CandidateTime {
 public:
  struct Spent {
    std::size_t candidate = 0;  // its number
    double seconds = 0;
  };

  // From now on, counts for this candidate. Continues if this candidate is already counted, and otherwise
  // begins from 0.
  void count_for(std::size_t candidate) {
    const std::lock_guard lock(mutex_);
    if (candidate != spent_.candidate) spent_ = {candidate, 0};
  }
  // Begins from 0 again, since the same candidate is graded once more.
  void begin_again() {
    const std::lock_guard lock(mutex_);
    spent_.seconds = 0;
  }

  // Counts the time from its construction to its destruction. Spans that overlap count once.
  class Span {
   public:
    // `time` may be null: then nothing is counted.
    explicit Span(CandidateTime* time) : time_(time) {
      if (time_ != nullptr) time_->enter();
    }
    ~Span() {
      if (time_ != nullptr) time_->leave();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    CandidateTime* time_;
  };

  // The time until now, including spans that still run.
  Spent spent() const {
    const std::lock_guard lock(mutex_);
    Spent now = spent_;
    if (spans_ > 0) now.seconds += since_last();
    return now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double since_last() const { return std::chrono::duration<double>(Clock::now() - last_).count(); }
  void enter() {
    const std::lock_guard lock(mutex_);
    if (spans_++ == 0) last_ = Clock::now();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--spans_ == 0) spent_.seconds += since_last();
  }

  mutable std::mutex mutex_;
  Spent spent_ = {static_cast<std::size_t>(-1), 0};
  int spans_ = 0;
  Clock::time_point last_;
};

}  // namespace kgrade
