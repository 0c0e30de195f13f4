#include <cuda_runtime_api.h>

#include "device/cuda/cuda_worker.h"

namespace kgrade::cuda {

struct CudaWorker::SpinFlag {
  volatile unsigned int released;   // by the host, once everything is queued
  volatile unsigned int timed_out;  // by the device
};

namespace {

// A contestant that synchronises would wait for the spin kernel for ever; this is when the kernel gives up.
constexpr unsigned long long spin_limit_ns = 20'000'000;

__device__ unsigned long long globaltimer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_until_released(volatile unsigned int* released, volatile unsigned int* timed_out) {
  const unsigned long long start = globaltimer_ns();
  while (*released == 0) {
    if (globaltimer_ns() - start > spin_limit_ns) {
      *timed_out = 1;
      return;
    }
  }
}

bool ok(cudaError_t status) { return status == cudaSuccess; }

}  // namespace

CudaWorker::~CudaWorker() = default;  // the process ends: the driver takes everything back

bool CudaWorker::prepare() {
  auto driver = Driver::open();
  if (!driver) return false;
  driver_ = *driver;
  int l2_bytes = 0;
  cudaEvent_t start;
  cudaEvent_t stop;
  if (!ok(cudaSetDevice(ordinal_)) || !ok(cudaFree(nullptr)) ||
      !ok(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, ordinal_)) ||
      !ok(cudaEventCreate(&start)) || !ok(cudaEventCreate(&stop))) {
    return false;
  }
  start_ = start;
  stop_ = stop;
  // Twice the L2, so that what was in it before is gone whatever the replacement does.
  flush_bytes_ = 2 * static_cast<std::uint64_t>(l2_bytes);
  void* flag = nullptr;
  if (!ok(cudaMalloc(&flush_buffer_, flush_bytes_)) ||
      !ok(cudaHostAlloc(&flag, sizeof(SpinFlag), cudaHostAllocMapped))) {
    return false;
  }
  spin_flag_ = static_cast<SpinFlag*>(flag);
  // Loads the spin kernel now: loading one behind a spinning one could wait for it.
  spin_flag_->released = 1;
  return queue_before(true) && ok(cudaDeviceSynchronize());
}

std::uint64_t CudaWorker::map(UniqueFd descriptor, const LentBuffer& buffer) {
  auto memory = MappedMemory::import(driver_, ordinal_, descriptor.get(), buffer.bytes,
                                     buffer.writable ? Access::read_write : Access::read_only);
  if (!memory) return 0;
  mappings_.push_back(std::move(*memory));
  return reinterpret_cast<std::uint64_t>(mappings_.back()->data());
}

void CudaWorker::unmap_all() { mappings_.clear(); }

bool CudaWorker::queue_before(bool hide_latency) {
  if (!ok(cudaMemsetAsync(flush_buffer_, calls_ & 0xff, flush_bytes_, nullptr))) return false;
  if (hide_latency) {
    spin_until_released<<<1, 1>>>(&spin_flag_->released, &spin_flag_->timed_out);
    if (!ok(cudaGetLastError())) return false;
  }
  return ok(cudaEventRecord(static_cast<cudaEvent_t>(start_), nullptr));
}

bool CudaWorker::finish(TimedCall& result) {
  bool recorded = ok(cudaEventRecord(static_cast<cudaEvent_t>(stop_), nullptr));
  spin_flag_->released = 1;
  const cudaError_t status = cudaDeviceSynchronize();
  if (result.error == 0) result.error = status;
  float elapsed_ms = 0;
  recorded = recorded && status == cudaSuccess &&
             ok(cudaEventElapsedTime(&elapsed_ms, static_cast<cudaEvent_t>(start_),
                                     static_cast<cudaEvent_t>(stop_)));
  result.elapsed_ms = elapsed_ms;
  return recorded;
}

TimedCall CudaWorker::call(Entry entry, const unsigned long long* arguments) {
  TimedCall result;
  // The first call runs unhidden: it may load modules, which waits for running kernels.
  const bool hide_latency = calls_ > 0 && !synchronises_;
  calls_ += 1;
  spin_flag_->released = 0;
  spin_flag_->timed_out = 0;
  if (!queue_before(hide_latency)) {
    result.device_failed = true;
    return result;
  }
  result.error = entry(arguments);
  result.device_failed = !finish(result) && result.error == 0;
  if (spin_flag_->timed_out != 0) synchronises_ = true;
  result.latency_hidden = hide_latency && spin_flag_->timed_out == 0;
  return result;
}

}  // namespace kgrade::cuda
