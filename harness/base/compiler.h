// Macros about the compiler of the file that includes this one.
#pragma once

// KGRADE_HOST_DEVICE marks functions that host and device code share.
#ifdef __CUDACC__
#define KGRADE_HOST_DEVICE __host__ __device__
#else
#define KGRADE_HOST_DEVICE
#endif

// KGRADE_SANITIZED is set in builds with a sanitizer: its own memory would count against a contestant's
// limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KGRADE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KGRADE_SANITIZED 1
#endif
#endif
