// c10::ArrayRef: contiguous values that another object owns.
#pragma once

#include <initializer_list>

#include "kgrade_extension/error.h"

namespace c10 {

template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* first, const T* last) : data_(first), size_(last - first) {}
  // Converts std::vector and every other container with contiguous values.
  template <class V, std::enable_if_t<std::is_convertible<decltype(some<V>().data()), const T*>::value &&
                                          std::is_same<typename V::value_type, T>::value,
                                      int> = 0>
  ArrayRef(const V& values) : data_(values.data()), size_(values.size()) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  constexpr ArrayRef(const std::initializer_list<T>& values) : data_(values.begin()), size_(values.size()) {}
#pragma GCC diagnostic pop
  template <size_t N>
  constexpr ArrayRef(const T (&values)[N]) : data_(values), size_(N) {}

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T* cbegin() const { return begin(); }
  constexpr const T* cend() const { return end(); }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    if (i >= size_) throw_error("IndexError", "ArrayRef: index out of range");
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  ArrayRef slice(size_t first, size_t count) const { return ArrayRef(data_ + first, count); }
  ArrayRef slice(size_t first) const { return slice(first, size_ - first); }
#ifdef KGRADE_USES_vector
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  operator std::vector<T>() const { return vec(); }
#endif
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

template <class T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <class T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
#ifdef KGRADE_USES_vector
template <class T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <class T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !ArrayRef<T>(a).equals(b);
}
template <class T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}
template <class T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !a.equals(b);
}
#endif

using IntArrayRef = ArrayRef<int64_t>;

template <class T>
void append(Text& text, ArrayRef<T> values) {
  text.add("[");
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text.add(", ");
    append(text, values[i]);
  }
  text.add("]");
}
#ifdef KGRADE_USES_vector
template <class T>
void append(Text& text, const std::vector<T>& values) {
  append(text, ArrayRef<T>(values));
}
#endif

}  // namespace c10
