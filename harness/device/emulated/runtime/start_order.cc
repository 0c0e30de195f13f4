#include "device/emulated/runtime/start_order.h"

#include <mutex>
#include <numeric>
#include <utility>

#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade_emulated {
namespace {

// splitmix64: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t key) : state_(key) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return SplitMix(SplitMix(a).next() ^ b).next(); }

struct Setting {
  std::mutex mutex;
  StartOrder order;
  std::uint64_t launches = 0;
};

Setting& setting() {
  static Setting* const of_this_process = new Setting;
  return *of_this_process;
}

}  // namespace

void set_thread_order(ThreadOrder order, std::uint64_t seed) {
  const std::lock_guard lock(setting().mutex);
  setting().order = {order, seed};
  setting().launches = 0;
}

StartOrder next_start_order() {
  const std::lock_guard lock(setting().mutex);
  StartOrder order = setting().order;
  if (order.order == ThreadOrder::shuffled) order.key = mixed(order.key, setting().launches++);
  return order;
}

void list_threads(const StartOrder& order, std::uint64_t block, unsigned int count,
                  std::vector<unsigned int>& threads) {
  threads.clear();
  if (order.order == ThreadOrder::forward) return;
  threads.resize(count);
  std::iota(threads.rbegin(), threads.rend(), 0u);
  if (order.order == ThreadOrder::reverse) return;
  // This is the shuffle of Fisher and Yates.
  SplitMix random(mixed(order.key, block));
  for (unsigned int left = count; left > 1; --left) std::swap(threads[left - 1], threads[random.below(left)]);
}

BlockOrder::BlockOrder(const StartOrder& order, std::uint64_t count) : order_(order.order), count_(count) {
  if (order_ != ThreadOrder::shuffled || count_ < 2) return;
  SplitMix random(~order.key);
  offset_ = random.below(count_);
  do {
    stride_ = 1 + random.below(count_ - 1);
  } while (std::gcd(stride_, count_) != 1);
}

}  // namespace kgrade_emulated
