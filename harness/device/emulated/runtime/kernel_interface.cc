// What running kernels call, and where they read their position.
#include "device/emulated/runtime/block_runner.h"
#include "device/emulated/runtime/fault.h"

constinit thread_local uint3 threadIdx = {0, 0, 0};
constinit thread_local uint3 blockIdx = {0, 0, 0};
constinit thread_local dim3 blockDim;
constinit thread_local dim3 gridDim;

namespace kgrade_emulated {
namespace {

BlockRunner& running() {
  BlockRunner& runner = BlockRunner::of_this_thread();
  if (!runner.is_running()) fault("a function of the device is called outside of a kernel");
  return runner;
}

}  // namespace

BarrierResult block_barrier(int predicate) { return running().wait_at_barrier(predicate); }

const WarpMeeting& meet_warp(WarpOperation operation, unsigned int mask, unsigned long long value) {
  return running().meet_warp(operation, mask, value);
}

void leave_warp(const WarpMeeting& meeting) { running().leave_warp(meeting); }
unsigned int current_lane() { return running().lane(); }
unsigned int converged_lanes(unsigned int site) { return running().converged_lanes(site); }

void* shared_memory(SharedSlot& slot, std::size_t bytes, std::size_t alignment) {
  return running().shared_memory().variable(slot, bytes, alignment);
}

void* dynamic_shared_memory() { return running().shared_memory().dynamic(); }

}  // namespace kgrade_emulated
