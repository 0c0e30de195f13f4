#include <algorithm>
#include <atomic>
#include <chrono>

#include "device/emulated/checker/checker.h"
#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/api_streams.h"

struct CUstream_st {
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
};

struct CUevent_st {
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
  bool timed = true;
};

using kgrade_emulated::active_checker;
using kgrade_emulated::set_last_error;

namespace {

// The default streams have no object.
bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

constexpr int least_priority = 0;
constexpr int greatest_priority = -5;

cudaError_t check(cudaEvent_t event) {
  return set_last_error(event != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

// A priority beyond the range counts as the nearest end of the range.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr || (flags & ~static_cast<unsigned int>(cudaStreamNonBlocking)) != 0) {
    return set_last_error(cudaErrorInvalidValue);
  }
  constexpr unsigned long long first_id = 3;  // after the default streams
  static std::atomic<unsigned long long> next_id{first_id};
  *stream = new CUstream_st{flags, std::clamp(priority, greatest_priority, least_priority), next_id++};
  if (const auto checker = active_checker()) checker->streams().created(*stream, flags == cudaStreamDefault);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (const auto checker = active_checker()) checker->streams().destroyed(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = is_default(stream) ? 0 : stream->priority;
  return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = is_default(stream) ? (stream == cudaStreamPerThread ? 2 : 1) : stream->id;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const auto checker = active_checker()) checker->streams().host_waits(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (const auto checker = active_checker()) checker->streams().waits(stream, event);
  return check(event);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  if (callback == nullptr || flags != 0) return set_last_error(cudaErrorInvalidValue);
  cudaStreamSynchronize(stream);  // the host may wait for what the callback does
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return set_last_error(cudaErrorInvalidValue);
  cudaStreamSynchronize(stream);
  function(data);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned int known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~known) != 0) return set_last_error(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return set_last_error(cudaErrorInvalidResourceHandle);
  if (const auto checker = active_checker()) checker->streams().forgets(event);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return set_last_error(cudaErrorInvalidResourceHandle);
  if (const auto checker = active_checker()) checker->streams().records(event, stream);
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const auto checker = active_checker()) checker->streams().host_waits(event);
  return check(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  const auto usable = [](cudaEvent_t event) { return event != nullptr && event->recorded && event->timed; };
  if (!usable(start) || !usable(stop)) return set_last_error(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return cudaSuccess;
}
