#include "base/late_child.h"

#include <utility>

namespace kgrade {

bool ChildOrder::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

bool ChildOrder::is_delivered() const {
  const std::lock_guard lock(mutex_);
  return child_.has_value();
}

void ChildOrder::deliver(Result<ChildProcess> child) {
  const std::lock_guard lock(mutex_);
  if (is_cancelled_) return;
  child_ = std::move(child);
  delivered_.notify_all();
}

void ChildOrder::cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
}

Result<ChildProcess> ChildOrder::take() {
  std::unique_lock lock(mutex_);
  delivered_.wait(lock, [this] { return child_.has_value(); });
  Result<ChildProcess> child = std::move(*child_);
  child_.reset();
  return child;
}

LateChild& LateChild::operator=(LateChild&& other) noexcept {
  std::swap(order_, other.order_);
  std::swap(child_, other.child_);
  std::swap(error_, other.error_);
  return *this;
}

bool LateChild::has_started() const { return order_ != nullptr ? order_->is_delivered() : child_.pid() >= 0; }

Result<ChildProcess> LateChild::take() {
  if (order_ != nullptr) return std::exchange(order_, nullptr)->take();
  return std::exchange(child_, {});
}

ChildProcess& LateChild::get() {
  if (order_ != nullptr) {
    auto child = take();
    if (child) {
      child_ = std::move(*child);
    } else {
      error_ = child.error().message;
    }
  }
  return child_;
}

void LateChild::kill_group() {
  if (has_started()) get();
  cancel();
  child_.kill_group();
}

void LateChild::wait() {
  if (order_ == nullptr && child_.pid() >= 0) child_.wait();
}

void LateChild::cancel() {
  if (order_ != nullptr) std::exchange(order_, nullptr)->cancel();
}

Result<LateChild> spawn_now(const SpawnRequest& request) {
  auto child = spawn(request);
  return child ? Result<LateChild>(LateChild(std::move(*child))) : child.errors();
}

}  // namespace kgrade
