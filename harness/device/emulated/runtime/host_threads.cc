#include "device/emulated/runtime/host_threads.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "device/emulated/runtime/limits.h"
#include "device/emulated/runtime/program_limits.h"

namespace kgrade_emulated {
namespace {

// Threads stay for the next launch: making one costs more than a small kernel does.
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
  // Fewer when the process may not have so many.
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

}  // namespace

void run_on_host_threads(unsigned int count, const std::function<void()>& work) {
  // Never destroyed: the threads wait for work until the process ends.
  static HostThreads* const threads = new HostThreads;
  if (count <= 1) return work();
  threads->run(count, work);
}

}  // namespace kgrade_emulated
