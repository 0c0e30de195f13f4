// Outcomes of CUDA calls. KGRADE_CUDA_CHECK is for those that cannot fail in health: a failure is an
// exception with call, place and reason.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <stdexcept>

namespace kgrade::cuda {

inline bool ok(cudaError_t status) { return status == cudaSuccess; }

inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(fmt::format("{}:{}: {}: {} ({})", file, line, call, cudaGetErrorString(status),
                                       cudaGetErrorName(status)));
}

}  // namespace kgrade::cuda

#define KGRADE_CUDA_CHECK(call) ::kgrade::cuda::check((call), #call, __FILE__, __LINE__)
