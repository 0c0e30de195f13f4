// Shared by all baselines of cuDNN: its handle.
#pragma once

#include <cudnn.h>

#include "vendor/device.h"

namespace baseline {

inline bool ok(cudnnStatus_t status) { return status == CUDNN_STATUS_SUCCESS; }

// Null if cuDNN cannot be used. It works on the legacy default stream unless another one is set.
inline cudnnHandle_t handle() {
  static const cudnnHandle_t the_handle = [] {
    cudnnHandle_t made = nullptr;
    return ok(cudnnCreate(&made)) ? made : nullptr;
  }();
  return the_handle;
}

}  // namespace baseline
