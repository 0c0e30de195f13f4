// The argument type of all operators. An Argument can be made from every value that an operator takes, and
// from braced lists. So one declaration serves every overload of an operator, and Python picks the overload
// by the kinds of the arguments.
#pragma once

#include <tuple>

#include "kgrade_extension/scalar.h"

namespace at {

class Tensor;

// An Argument lives only until the end of the full expression that contains it.
class Argument {
  using Kind = kgrade_extension::Kind;

 public:
  struct Absent {};
  Argument() { set(Kind::empty); }
  Argument(Absent) { set(Kind::absent); }
#ifdef KGRADE_USES_optional
  Argument(c10::nullopt_t) { set(Kind::none); }
  template <class T>
  Argument(const c10::optional<T>& value) : Argument(value ? Argument(*value) : Argument(c10::nullopt)) {}
#endif
  Argument(const Tensor& tensor);
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Argument(T number) : value_(c10::Scalar(number).value()) {}
  Argument(c10::Half number) : value_(c10::Scalar(number).value()) {}
  Argument(c10::BFloat16 number) : value_(c10::Scalar(number).value()) {}
  Argument(const c10::Scalar& number) : value_(number.value()) {}
  Argument(c10::ScalarType type) { set(Kind::dtype, static_cast<int64_t>(type)); }
  Argument(c10::TypeMeta type) : Argument(type.toScalarType()) {}
  Argument(c10::Device device) { set(Kind::device, c10::TensorOptions::packed(device)); }
  Argument(c10::DeviceType type) : Argument(c10::Device(type)) {}
  Argument(c10::Layout layout) { set(Kind::layout, static_cast<int64_t>(layout)); }
  Argument(c10::MemoryFormat format) { set(Kind::format, static_cast<int64_t>(format)); }
  Argument(const c10::TensorOptions& options) { point(Kind::options, &options.fields(), 0); }
  Argument(const char* text) { point(Kind::text, text, __builtin_strlen(text)); }
  template <class T, c10::IfText<T> = 0>
  Argument(const T& text) {
    point(Kind::text, text.data(), text.size());
  }
  Argument(std::initializer_list<int64_t> values) { point(Kind::integers, values.begin(), values.size()); }
  Argument(c10::IntArrayRef values) { point(Kind::integers, values.data(), values.size()); }
  template <size_t N>
  Argument(const int64_t (&values)[N]) {
    point(Kind::integers, values, N);
  }
  Argument(c10::ArrayRef<double> values) { point(Kind::reals, values.data(), values.size()); }
  Argument(std::initializer_list<Tensor> tensors);
  Argument(c10::ArrayRef<Tensor> tensors);
#ifdef KGRADE_USES_vector
  Argument(const std::vector<int64_t>& values) { point(Kind::integers, values.data(), values.size()); }
  Argument(const std::vector<double>& values) { point(Kind::reals, values.data(), values.size()); }
  Argument(const std::vector<Tensor>& tensors);
#endif

  Argument(Argument&& other) noexcept : value_(other.value_), list_(other.list_) { other.list_ = nullptr; }
  Argument& operator=(Argument&&) = delete;
  ~Argument() { delete[] list_; }

  const kgrade_extension::Value& value() const { return value_; }

 private:
  void set(Kind kind, int64_t integer = 0) {
    value_.kind = kind;
    value_.count = 0;
    value_.integer = integer;
  }
  void point(Kind kind, const void* pointer, size_t count) {
    value_.kind = kind;
    value_.count = static_cast<int32_t>(count);
    value_.pointer = pointer;
  }
  void set_list(const Tensor* tensors, size_t count);

  kgrade_extension::Value value_;
  kgrade_extension::Value* list_ = nullptr;  // of a list of tensors
};

inline const Argument absent{Argument::Absent()};

}  // namespace at
