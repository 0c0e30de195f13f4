// A child process that another thread starts, later: whoever wants it waits for it then.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/subprocess.h"

namespace kgrade {

// The order for a child, as the thread that is to start it sees it. All functions may be called from any
// thread.
class ChildOrder {
 public:
  // To be asked before it is started: nobody wants it any more.
  bool is_cancelled() const;
  bool is_delivered() const;
  // Called once. A child that nobody wants any more is ended.
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

// The destructor ends the child, or cancels the order. Not for several threads at once.
class LateChild {
 public:
  LateChild() = default;  // none
  explicit LateChild(ChildProcess child) : child_(std::move(child)) {}
  explicit LateChild(std::shared_ptr<ChildOrder> order) : order_(std::move(order)) {}
  LateChild(LateChild&&) noexcept = default;
  LateChild& operator=(LateChild&& other) noexcept;
  ~LateChild() { cancel(); }

  // Whether there is one, or will be.
  bool exists() const { return order_ != nullptr || child_.pid() >= 0; }
  bool has_started() const;
  // Waits until it has been started. Where it could not be it has ended, and error() says why.
  ChildProcess& get();
  const std::string& error() const { return error_; }
  // The child itself, and why there is none.
  Result<ChildProcess> take();
  // Waits for nothing: ends the child's group, or cancels the order.
  void kill_group();
  // Waits for its end, unless it was never started.
  void wait();

 private:
  void cancel();

  std::shared_ptr<ChildOrder> order_;  // until the child is here
  ChildProcess child_;
  std::string error_;
};

// One that spawn() starts, at once.
Result<LateChild> spawn_now(const SpawnRequest& request);

}  // namespace kgrade
