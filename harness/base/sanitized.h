// KGRADE_SANITIZED: built with a sanitizer of the compiler, whose own memory would count where a contestant's
// is limited.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KGRADE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KGRADE_SANITIZED 1
#endif
#endif
