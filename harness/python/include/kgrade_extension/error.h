// Errors: c10::Error, and the macros that check and throw.
#pragma once

#include <exception>

#include "kgrade_extension/interface.h"
#include "kgrade_extension/text.h"

namespace c10 {

// An error, with the name of the Python exception that is raised for it.
class Error : public std::exception {
 public:
  Error(Text python_type, Text text)
      : python_type_(static_cast<Text&&>(python_type)), text_(static_cast<Text&&>(text)) {}
  explicit Error(Text text) : Error("RuntimeError", static_cast<Text&&>(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  const char* what_without_backtrace() const noexcept { return what(); }
  const Text& msg() const { return text_; }
  const char* python_type() const noexcept { return python_type_.c_str(); }

 private:
  Text python_type_;
  Text text_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_error(const char* python_type, const Text& text) {
  throw Error(python_type, text);
}

template <class... Parts>
[[noreturn]] void fail(const char* python_type, const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0) {
    throw_error(python_type,
                str("Expected ", condition,
                    " to be true, but got false.  (Could this error message be improved?  If so, "
                    "please report an enhancement request to PyTorch.)"));
  } else {
    throw_error(python_type, str(parts...));
  }
}

template <class... Parts>
[[noreturn]] void fail_assert(const char* condition, const char* file, int line, const Parts&... parts) {
  throw_error("RuntimeError", str(condition, " INTERNAL ASSERT FAILED at \"", file, "\":", line,
                                  ", please report a bug to PyTorch. ", parts...));
}

inline void warn(const Text& text) { __builtin_printf("Warning: %s\n", text.c_str()); }

}  // namespace c10

#define C10_LIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 1))
#define C10_UNLIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 0))

#define KGRADE_CHECK_AS(python_type, condition, ...) \
  if (!(condition)) ::c10::fail(python_type, #condition, ##__VA_ARGS__)
#define TORCH_CHECK(condition, ...) KGRADE_CHECK_AS("RuntimeError", condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) KGRADE_CHECK_AS("IndexError", condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) KGRADE_CHECK_AS("ValueError", condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) KGRADE_CHECK_AS("TypeError", condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  KGRADE_CHECK_AS("NotImplementedError", condition, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...) \
  if (!(condition)) ::c10::fail_assert(#condition, __FILE__, __LINE__, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) ((void)0)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ERROR(...) ::c10::throw_error("RuntimeError", ::c10::str(__VA_ARGS__))
#define TORCH_WARN(...) ::c10::warn(::c10::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...)                     \
  do {                                           \
    static bool kgrade_warned = false;           \
    if (!kgrade_warned) TORCH_WARN(__VA_ARGS__); \
    kgrade_warned = true;                        \
  } while (false)
