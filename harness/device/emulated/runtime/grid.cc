// Launches: checks a configuration as a GPU does, decides the order of threads and blocks, and shares the
// blocks of a grid between host threads.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "base/split_mix.h"
#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/block_runner.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/api_errors.h"
#include "kgrade_emulated/launch.h"

namespace kgrade_emulated {
namespace {

// The generator of base/split_mix.h.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t key) : state_(key) {}

  std::uint64_t next() { return kgrade::mixed(state_ += kgrade::golden_gamma); }
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

std::atomic<unsigned int> wanted_host_threads{0};

// Host threads stay for the next launch, because starting a thread takes longer than a small kernel.
class HostThreads {
 public:
  void run(unsigned int count, const std::function<void()>& work) {
    const std::lock_guard one_launch(launch_);
    start(count - 1);
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      wanted_ = std::min(count - 1, threads_);
      running_ = wanted_;
    }
    begin_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    end_.wait(lock, [&] { return running_ == 0; });
    work_ = nullptr;
  }

 private:
  // Starts fewer threads if the process may not have that many.
  void start(unsigned int count) {
    while (threads_ < count) {
      make_room_for(limits::host_thread_bytes);
      try {
        std::thread([this] { serve(); }).detach();
      } catch (const std::system_error&) {
        return;
      }
      ++threads_;
    }
  }

  void serve() {
    use_signal_stack();
    std::unique_lock lock(mutex_);
    for (;;) {
      begin_.wait(lock, [&] { return wanted_ > 0; });
      --wanted_;
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      if (--running_ == 0) end_.notify_all();
    }
  }

  std::mutex launch_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void()>* work_ = nullptr;
  unsigned int threads_ = 0;
  unsigned int wanted_ = 0;   // threads that should still take up the work
  unsigned int running_ = 0;  // threads that have not finished it
};

// Calls `work` at the same time on the calling thread and on up to `count - 1` others, and returns when all
// calls have returned. Only one call runs at a time. A second caller waits.
void run_on_host_threads(unsigned int count, const std::function<void()>& work) {
  // The threads are never destroyed. They wait for work until the process ends.
  static HostThreads* const threads = new HostThreads;
  if (count <= 1) return work();
  threads->run(count, work);
}

kgrade::FirstFailedLaunch first_failed_launch;

void copy_extent(dim3 from, std::uint32_t (&to)[3]) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

void fail_launch(const BoundKernel& kernel, const Configuration& configuration, cudaError_t error) {
  kgrade::FailedLaunch failed;
  failed.error = error;
  failed.is_known = 1;
  copy_extent(configuration.grid, failed.grid);
  copy_extent(configuration.block, failed.block);
  failed.dynamic_shared = configuration.dynamic_shared_bytes;
  kgrade::set_text(failed.kernel, kernel.name);
  kgrade::set_text(failed.place, place_of(configuration));
  first_failed_launch.note(failed);
  set_last_error(error);
}

std::uint64_t volume(dim3 extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

bool fits(dim3 extent, dim3 most) {
  return extent.x >= 1 && extent.y >= 1 && extent.z >= 1 && extent.x <= most.x && extent.y <= most.y &&
         extent.z <= most.z;
}

cudaError_t check(const BoundKernel& kernel, const Configuration& configuration) {
  const bool block_fits =
      fits(configuration.block, dim3(limits::block_x, limits::block_y, limits::block_z)) &&
      volume(configuration.block) <= limits::threads_per_block;
  const bool grid_fits = fits(configuration.grid, dim3(limits::grid_x, limits::grid_y, limits::grid_z));
  if (!block_fits || !grid_fits) return cudaErrorInvalidConfiguration;
  if (configuration.dynamic_shared_bytes > most_dynamic_shared_bytes(kernel.function)) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

// Runs the blocks in order (forward: x fastest). Host threads take a few blocks at a time.
class Grid {
 public:
  Grid(const BoundKernel& kernel, const Configuration& configuration, unsigned int threads)
      : kernel_(kernel),
        configuration_(configuration),
        blocks_(volume(configuration.grid)),
        start_order_(next_start_order()),
        block_order_(start_order_, blocks_) {
    const std::uint64_t shares = std::uint64_t{threads} * 8;
    step_ = std::clamp<std::uint64_t>(blocks_ / shares, 1, 64);
  }

  void run_share() {
    BlockRunner& runner = BlockRunner::of_this_thread();
    runner.begin_grid(kernel_, configuration_, start_order_);
    for (;;) {
      const std::uint64_t begin = next_.fetch_add(step_);
      if (begin >= blocks_) break;
      for (std::uint64_t block = begin; block < std::min(begin + step_, blocks_); ++block) {
        runner.run_block(position(block_order_[block]));
      }
    }
    runner.end_grid();
  }

 private:
  uint3 position(std::uint64_t block) const {
    const std::uint64_t row = block / configuration_.grid.x;
    return uint3{static_cast<unsigned int>(block % configuration_.grid.x),
                 static_cast<unsigned int>(row % configuration_.grid.y),
                 static_cast<unsigned int>(row / configuration_.grid.y)};
  }

  const BoundKernel& kernel_;
  const Configuration& configuration_;
  std::uint64_t blocks_;
  StartOrder start_order_;
  BlockOrder block_order_;
  std::uint64_t step_ = 1;
  std::atomic<std::uint64_t> next_{0};
};

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

void set_host_threads(unsigned int count) { wanted_host_threads = count; }

unsigned int host_threads() {
  const unsigned int wanted = wanted_host_threads;
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

void start_host_threads() {
  run_on_host_threads(host_threads(), [] {});
}

kgrade::FailedLaunch take_failed_launch() { return first_failed_launch.take(); }

void run_grid(const BoundKernel& kernel, const Configuration& configuration) {
  if (BlockRunner::of_this_thread().is_running()) {
    fault(std::string("a kernel launches ") + kernel.name + ": dynamic parallelism is not supported");
  }
  if (const cudaError_t error = check(kernel, configuration); error != cudaSuccess) {
    fail_launch(kernel, configuration, error);
    return;
  }
  const std::uint64_t blocks = volume(configuration.grid);
  const auto threads = static_cast<unsigned int>(std::min<std::uint64_t>(host_threads(), blocks));
  Grid grid(kernel, configuration, threads);
  const auto checker = active_checker();
  if (checker && !checker->begins_work(configuration.stream, kernel.name, __builtin_return_address(0)))
    return;
  if (checker) checker->begin_launch(kernel, configuration);
  run_on_host_threads(threads, [&] { grid.run_share(); });
  if (checker) checker->end_launch();
}

}  // namespace kgrade_emulated
