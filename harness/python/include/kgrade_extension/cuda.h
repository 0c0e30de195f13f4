// at::cuda and c10::cuda: the current stream and device, and checks of CUDA's errors.
#pragma once

// The constructors of the guards below use c10::optional.
#ifndef KGRADE_USES_optional
#include <optional>
namespace c10 {
using std::nullopt;
using std::optional;
}  // namespace c10
#endif

#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>

#include "kgrade_extension/operators.h"

struct cublasContext;
typedef struct cublasContext* cublasHandle_t;

namespace c10::cuda {

inline DeviceIndex current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return static_cast<DeviceIndex>(device);
}
inline void set_device(DeviceIndex device) { cudaSetDevice(device); }
inline DeviceIndex device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<DeviceIndex>(count) : DeviceIndex{0};
}
inline void device_synchronize() { cudaDeviceSynchronize(); }

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw_error("RuntimeError", str("CUDA error: ", cudaGetErrorString(error)));
}

class CUDAStream {
 public:
  CUDAStream(cudaStream_t stream, DeviceIndex device) : stream_(stream), device_(device) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return device_; }
  Device device() const { return Device(kCUDA, device_); }
  bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }
  friend bool operator==(CUDAStream a, CUDAStream b) { return a.stream_ == b.stream_; }
  friend bool operator!=(CUDAStream a, CUDAStream b) { return a.stream_ != b.stream_; }

 private:
  cudaStream_t stream_;
  DeviceIndex device_;
};

// Device -1 is the current device.
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  const auto value = at::call(".current_stream", {at::Argument(int64_t{device}).value()});
  return CUDAStream(reinterpret_cast<cudaStream_t>(value.integer), device == -1 ? current_device() : device);
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
  return CUDAStream(nullptr, device == -1 ? current_device() : device);
}
inline CUDAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1) {
  const auto value = at::call(".stream_from_pool",
                              {at::Argument(high_priority).value(), at::Argument(int64_t{device}).value()});
  return CUDAStream(reinterpret_cast<cudaStream_t>(value.integer), device == -1 ? current_device() : device);
}
inline void setCurrentCUDAStream(CUDAStream stream) {
  at::call(".set_stream", {at::Argument(reinterpret_cast<int64_t>(stream.stream())).value(),
                           at::Argument(int64_t{stream.device_index()}).value()});
}

// A guard makes a device or a stream the current one. Its destructor restores the previous one.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex device) : original_(current_device()), current_(original_) {
    set_index(device);
  }
  explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  ~CUDAGuard() { set_index(original_); }
  void set_index(DeviceIndex device) {
    if (device >= 0 && device != current_) c10::cuda::set_device(device);
    if (device >= 0) current_ = device;
  }
  void set_device(Device device) { set_index(device.index()); }
  void reset_device(Device device) { set_index(device.index()); }
  Device original_device() const { return Device(kCUDA, original_); }
  Device current_device_of_guard() const { return Device(kCUDA, current_); }

 private:
  DeviceIndex original_;
  DeviceIndex current_;
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(optional<Device> device) {
    if (device && device->is_cuda()) guard_.emplace(*device);
  }
  explicit OptionalCUDAGuard(Device device) : OptionalCUDAGuard(optional<Device>(device)) {}
  explicit OptionalCUDAGuard(DeviceIndex device) { guard_.emplace(device); }
  void set_device(Device device) { guard_.emplace(device); }
  void set_index(DeviceIndex device) { guard_.emplace(device); }
  void reset() { guard_.reset(); }

 private:
  optional<CUDAGuard> guard_;
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(CUDAStream stream)
      : device_(stream.device_index()), original_(getCurrentCUDAStream(stream.device_index())) {
    setCurrentCUDAStream(stream);
  }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  ~CUDAStreamGuard() { setCurrentCUDAStream(original_); }
  CUDAStream original_stream() const { return original_; }

 private:
  CUDAGuard device_;
  CUDAStream original_;
};

}  // namespace c10::cuda

namespace at {
namespace cuda {

using namespace c10::cuda;

inline cudaDeviceProp* getDeviceProperties(DeviceIndex device) {
  static thread_local cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device));
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(current_device()); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
// cuBLAS's handle for the current stream.
inline cublasHandle_t getCurrentCUDABlasHandle() {
  return reinterpret_cast<cublasHandle_t>(call(".blas_handle", {}).integer);
}
template <class T>
C10_HOST_DEVICE T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace cuda
}  // namespace at

#define C10_CUDA_CHECK(expression) ::c10::cuda::check(expression)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_CHECK_WARN(expression) ((void)(expression))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDABLAS_CHECK(expression)                                             \
  do {                                                                               \
    const auto kgrade_status = (expression);                                         \
    TORCH_CHECK(static_cast<int>(kgrade_status) == 0, "CUDA error: cuBLAS status ",  \
                static_cast<int>(kgrade_status), " when calling `" #expression "`"); \
  } while (false)
#endif
