// Outcomes of CUDA calls. KGRADE_CUDA_CHECK is for calls that cannot fail on a healthy machine. A failure
// throws an exception with call, place and reason; the exception is a std::system_error if the machine is to
// blame.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace kgrade::cuda {

inline bool ok(cudaError_t status) { return status == cudaSuccess; }

// The errno of an error that other programs or the hardware cause; 0 for other errors.
inline int errno_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return ENOMEM;
    case cudaErrorDevicesUnavailable:
      return EBUSY;
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
      return EIO;
    default:
      return 0;
  }
}

inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  const std::string message = fmt::format("{}:{}: {}: {} ({})", file, line, call, cudaGetErrorString(status),
                                          cudaGetErrorName(status));
  if (const int code = errno_of(status); code != 0)
    throw std::system_error(code, std::generic_category(), message);
  throw std::runtime_error(message);
}

}  // namespace kgrade::cuda

#define KGRADE_CUDA_CHECK(call) ::kgrade::cuda::check((call), #call, __FILE__, __LINE__)
