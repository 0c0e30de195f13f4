// Asks the device to keep a range of addresses in its L2 cache.
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>

// For the launches that follow on the default stream; as many bytes as the device allows.
inline void keep_in_l2(const void* begin, size_t bytes) {
  int most_kept = 0;
  int widest = 0;
  cudaDeviceGetAttribute(&most_kept, cudaDevAttrMaxPersistingL2CacheSize, 0);
  cudaDeviceGetAttribute(&widest, cudaDevAttrMaxAccessPolicyWindowSize, 0);
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most_kept);
  cudaStreamAttrValue attribute = {};
  attribute.accessPolicyWindow.base_ptr = const_cast<void*>(begin);
  attribute.accessPolicyWindow.num_bytes = bytes < (size_t)widest ? bytes : (size_t)widest;
  attribute.accessPolicyWindow.hitRatio = bytes <= (size_t)most_kept ? 1.0f : (float)most_kept / (float)bytes;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &attribute);
}
