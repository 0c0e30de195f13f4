// Builds texts of messages without streams and without <string>. Their headers take longer to compile than
// all headers of this folder.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include "kgrade_extension/by_use.h"

namespace c10 {

template <class T>
const T& some();  // for decltype only

// Whether T is a string class: std::string, a view, Text.
template <class T, class = void>
struct IsText : std::false_type {};
template <class T>
struct IsText<T, std::void_t<typename T::value_type, decltype(some<T>().size()), decltype(some<T>().data())>>
    : std::is_same<typename T::value_type, char> {};
template <class T>
using IfText = std::enable_if_t<IsText<T>::value, int>;

class Text {
 public:
  using value_type = char;
  Text() = default;
  Text(const char* text) { add(text); }
  template <class T, IfText<T> = 0>
  Text(const T& text) {
    add(text.data(), text.size());
  }
  Text(const char* text, size_t size) { add(text, size); }
  Text(const Text& other) { add(other.data(), other.size_); }
  Text(Text&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  Text& operator=(const Text&) = delete;
  ~Text() { __builtin_free(data_); }

  const char* c_str() const { return data_ != nullptr ? data_ : ""; }
  const char* data() const { return c_str(); }
  size_t size() const { return size_; }
  template <class T, IfText<T> = 0>
  operator T() const {
    return T(data(), size());
  }

  // This is not inlined, since inlined code costs compile time in every extension.
  __attribute__((noinline)) void add(const char* text, size_t size) {
    auto* larger = static_cast<char*>(__builtin_realloc(data_, size_ + size + 1));
    if (larger == nullptr) __builtin_abort();
    __builtin_memcpy(larger + size_, text, size);
    data_ = larger;
    size_ += size;
    data_[size_] = '\0';
  }
  void add(const char* text) {
    if (text == nullptr) text = "(null)";
    add(text, __builtin_strlen(text));
  }
  template <class T>
  void add_number(const char* format, T number) {
    char digits[32];
    add(digits, static_cast<size_t>(__builtin_snprintf(digits, sizeof digits, format, number)));
  }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

// Appends a value as a stream would write it. A source that appends other types is compiled with PyTorch's
// own headers.
inline void append(Text& text, const char* more) { text.add(more); }
inline void append(Text& text, const unsigned char* more) { text.add(reinterpret_cast<const char*>(more)); }
inline void append(Text& text, char more) { text.add(&more, 1); }
inline void append(Text& text, bool more) { text.add(more ? "1" : "0"); }
template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
void append(Text& text, T more) {
  if constexpr (sizeof(T) == 1) {
    append(text, static_cast<char>(more));
  } else if constexpr (std::is_signed<T>::value) {
    text.add_number("%lld", static_cast<long long>(more));
  } else {
    text.add_number("%llu", static_cast<unsigned long long>(more));
  }
}
inline void append(Text& text, double more) { text.add_number("%g", more); }
template <class T, IfText<T> = 0>
void append(Text& text, const T& more) {
  text.add(more.data(), more.size());
}

template <class... Parts>
Text str(const Parts&... parts) {
  Text text;
  (append(text, parts), ...);
  return text;
}

}  // namespace c10
