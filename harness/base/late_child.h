// A child process that another thread starts later. Whoever needs it waits for it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/subprocess.h"

namespace kgrade {

// An order for a child, as seen by the thread that will start it. All functions may be called from any
// thread.
class ChildOrder {
 public:
  // To be checked before the start: true if nobody wants the child any more.
  bool is_cancelled() const;
  bool is_delivered() const;
  // Called once. If nobody wants the child any more, it is ended.
  void deliver(Result<ChildProcess> child);

 private:
  friend class LateChild;
  void cancel();
  Result<ChildProcess> take();

  mutable std::mutex mutex_;
  std::condition_variable delivered_;
  bool is_cancelled_ = false;
  std::optional<Result<ChildProcess>> child_;
};

// A child that may not have started yet. The destructor ends the child, or cancels the order. Not
// thread-safe.
class LateChild {
 public:
  LateChild() = default;  // no child
  explicit LateChild(ChildProcess child) : child_(std::move(child)) {}
  explicit LateChild(std::shared_ptr<ChildOrder> order) : order_(std::move(order)) {}
  LateChild(LateChild&&) noexcept = default;
  LateChild& operator=(LateChild&& other) noexcept;
  ~LateChild() { cancel(); }

  // True if the child has started or is ordered.
  bool exists() const { return order_ != nullptr || child_.pid() >= 0; }
  bool has_started() const;
  // Waits until the child has been started. If it could not be started, returns a child that has ended, and
  // error() says why.
  ChildProcess& get();
  const std::string& error() const { return error_; }
  // Hands over the child, or the error that prevented its start.
  Result<ChildProcess> take();
  // Ends the child's group, or cancels the order. Does not wait.
  void kill_group();
  // Waits for the child's end, unless it was never started.
  void wait();

 private:
  void cancel();

  std::shared_ptr<ChildOrder> order_;  // until the child is here
  ChildProcess child_;
  std::string error_;
};

// A child that spawn() starts at once.
Result<LateChild> spawn_now(const SpawnRequest& request);

}  // namespace kgrade
