// The functions that running kernels call, and the variables that hold their position.
#include <fmt/format.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/block_runner.h"
#include "kgrade_emulated/atomics.h"
#include "kgrade_emulated/memory_access.h"
#include "kgrade_emulated/synchronisation.h"

constinit thread_local uint3 threadIdx = {0, 0, 0};
constinit thread_local uint3 blockIdx = {0, 0, 0};
constinit thread_local dim3 blockDim;
constinit thread_local dim3 gridDim;

namespace kgrade_emulated {
namespace {

std::string position() {
  return fmt::format("block: [{},{},{}], thread: [{},{},{}]", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
                     threadIdx.y, threadIdx.z);
}

bool in_kernel() { return BlockRunner::of_this_thread().is_running(); }

[[noreturn, gnu::cold]] void called_outside() {
  fault("a function of the device is called outside of a kernel");
}

inline BlockRunner& running() {
  BlockRunner& runner = BlockRunner::of_this_thread();
  if (!runner.is_running()) [[unlikely]]
    called_outside();
  return runner;
}

// Tells the checker, if there is one, where the current thread waits and when the thread continues.
class CheckedWait {
 public:
  explicit CheckedWait(const Checker::Wait& wait) : checker_(the_checker) {
    if (checker_ == nullptr) return;
    thread_ = running().thread();
    checker_->begins_to_wait(thread_, wait);
  }
  ~CheckedWait() {
    if (checker_ != nullptr) checker_->goes_on(thread_);
  }
  CheckedWait(const CheckedWait&) = delete;
  CheckedWait& operator=(const CheckedWait&) = delete;

  unsigned int thread() const { return thread_; }

 private:
  Checker* checker_;
  unsigned int thread_ = 0;
};

// One lock for the 128-bit atomics at all addresses, since they are rare.
std::mutex& wide_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void fault(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulated device: %s\n", message.c_str());
  std::abort();
}

std::string place_of(const Configuration& configuration) {
  const std::string_view file = configuration.file != nullptr ? configuration.file : "";
  return file.empty() ? "" : fmt::format("{}:{}", file.substr(file.rfind('/') + 1), configuration.line);
}

void trap() { fault("__trap() in " + (in_kernel() ? position() : "a function of the host")); }

void assertion_failed(const char* expression, const char* file, unsigned int line, const char* function) {
  if (!in_kernel()) {
    fault(fmt::format("{}:{}: {}: Assertion `{}' failed.", file, line, function, expression));
  }
  std::fprintf(stderr, "%s:%u: %s: %s Assertion `%s` failed.\n", file, line, function, position().c_str(),
               expression);
  fault("device-side assert triggered");
}

// The return address in the contestant's code, which gives the place in its source.
#define KGRADE_CALLER __builtin_return_address(0)

// Without a checker, these functions keep nothing on the stack while a thread waits, because each switch
// would have to fetch it into the cache.
BarrierResult block_barrier(int predicate) {
  if (!is_checking()) [[likely]]
    return running().wait_at_barrier(predicate);
  const CheckedWait wait({KGRADE_CALLER, true, 0});
  return running().wait_at_barrier(predicate);
}

const WarpMeeting& meet_warp(WarpOperation operation, unsigned int mask, unsigned long long value) {
  BlockRunner& runner = running();
  if (!is_checking()) [[likely]]
    return runner.meet_warp(operation, mask, value);
  const CheckedWait wait({KGRADE_CALLER, false, mask});
  const auto checker = active_checker();
  if (checker && (mask >> runner.lane() & 1u) == 0) checker->bad_mask(KGRADE_CALLER, mask);
  return runner.meet_warp(operation, mask, value);
}

void leave_warp(const WarpMeeting& meeting) { running().leave_warp(meeting); }
void report_missing_lane(unsigned int mask) {
  if (const auto checker = active_checker()) checker->bad_mask(KGRADE_CALLER, mask);
}
unsigned int current_lane() { return running().lane(); }

unsigned int converged_lanes(unsigned int site) {
  const CheckedWait wait({KGRADE_CALLER, false, 0});
  return running().converged_lanes(site);
}

void sleep_on(const void* key) {
  const CheckedWait wait({KGRADE_CALLER, false, 0});
  running().sleep_on(key);
  if (const auto checker = active_checker()) checker->group_meets(wait.thread());
}

void wake(const void* key) {
  BlockRunner& runner = running();
  if (const auto checker = active_checker()) checker->group_meets(runner.thread());
  runner.wake(key);
}

void meet_in_block(const void* key, unsigned int threads) {
  if (running().sleeping_on(key) + 1 < threads) {
    sleep_on(key);
  } else {
    wake(key);
  }
}

void* shared_memory(SharedSlot& slot, std::size_t bytes, std::size_t alignment) {
  return running().shared_memory().variable(slot, bytes, alignment);
}

void* dynamic_shared_memory() { return running().shared_memory().dynamic(); }

bool is_shared(const void* address) {
  BlockRunner& runner = BlockRunner::of_this_thread();
  return runner.is_running() && runner.shared_memory().contains(address);
}

Bits128 atomic_exchange_128(void* address, Bits128 value) {
  const std::lock_guard lock(wide_mutex());
  Bits128 old;
  std::memcpy(&old, address, sizeof old);
  std::memcpy(address, &value, sizeof value);
  return old;
}

Bits128 atomic_compare_and_swap_128(void* address, Bits128 compare, Bits128 value) {
  const std::lock_guard lock(wide_mutex());
  Bits128 old;
  std::memcpy(&old, address, sizeof old);
  if (old == compare) std::memcpy(address, &value, sizeof value);
  return old;
}

}  // namespace kgrade_emulated
