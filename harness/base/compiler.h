// Macros that depend on how the including file is compiled.
#pragma once

// KGRADE_HOST_DEVICE marks functions that host and device code share.
#ifdef __CUDACC__
#define KGRADE_HOST_DEVICE __host__ __device__
#else
#define KGRADE_HOST_DEVICE
#endif

// KGRADE_SANITIZED is defined in builds with a sanitizer. Such builds do not limit a contestant's memory,
// because the sanitizer's own memory would count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KGRADE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KGRADE_SANITIZED 1
#endif
#endif
