// The C library's header, with an assert() that says in a kernel what CUDA's says, and fails the kernel.
// Without a guard, as is the C library's: each inclusion looks at NDEBUG anew.
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
