// Shared by all baselines of cuBLAS: its handles.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstddef>

#include "vendor/device.h"

namespace baseline {

inline bool ok(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }

constexpr cublasComputeType_t compute_type = tf32_allowed ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;

// Null if cuBLAS cannot be used. It works on the legacy default stream unless another one is set, and in
// float32 unless told otherwise. Its own workspace comes with it.
inline cublasHandle_t handle() {
  static const cublasHandle_t the_handle = [] {
    cublasHandle_t made = nullptr;
    const bool good =
        ok(cublasCreate(&made)) &&
        ok(cublasSetMathMode(made, tf32_allowed ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH));
    return good ? made : nullptr;
  }();
  return the_handle;
}

// The same of cublasLt, which offers more than one algorithm.
inline cublasLtHandle_t light_handle() {
  static const cublasLtHandle_t the_handle = [] {
    cublasLtHandle_t made = nullptr;
    return ok(cublasLtCreate(&made)) ? made : nullptr;
  }();
  return the_handle;
}

}  // namespace baseline
