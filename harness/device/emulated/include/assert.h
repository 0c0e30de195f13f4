// The C library's header, with an assert() that prints CUDA's message in a kernel and fails the kernel. Like
// the C library's it has no guard: each inclusion looks at NDEBUG anew.
#include_next <assert.h>

#ifdef __cplusplus
namespace kgrade_emulated {
[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned int line,
                                   const char* function);
}

#ifndef NDEBUG
#undef assert
#define assert(...)        \
  ((__VA_ARGS__) ? (void)0 \
                 : kgrade_emulated::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
