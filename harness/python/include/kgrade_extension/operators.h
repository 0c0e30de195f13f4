// The operators as methods and as functions. Each calls PyTorch's operator by name.
#pragma once

#include "kgrade_extension/tensor.h"

namespace at {

// Calls an operator. Throws PyTorch's exception. The result lives until this thread's next call. The function
// is not inlined, since it has hundreds of callers.
__attribute__((noinline)) inline kgrade_extension::Value call(
    const char* name, std::initializer_list<kgrade_extension::Value> arguments) {
  using kgrade_extension::Kind;
  if (kgrade_extension::interface == nullptr)
    throw_error("RuntimeError", "PyTorch was called before the extension was loaded: a global tensor?");
  int32_t count = static_cast<int32_t>(arguments.size());
  while (count > 0 && arguments.begin()[count - 1].kind == Kind::absent) --count;
  kgrade_extension::Value result;
  if (kgrade_extension::interface->call(name, arguments.begin(), count, &result) == 0) return result;
  // The error's text looks like "IndexError: text".
  const char* all = static_cast<const char*>(result.pointer);
  size_t colon = 0;
  while (all[colon] != ':') ++colon;
  throw Error(Text(all, colon), Text(all + colon + 2, static_cast<size_t>(result.count) - colon - 2));
}

inline Tensor to_tensor(const kgrade_extension::Value& value) {
  return value.kind == kgrade_extension::Kind::tensor ? Tensor::owning(value.pointer) : Tensor();
}
inline const kgrade_extension::Value* entries_of(const kgrade_extension::Value& value) {
  return static_cast<const kgrade_extension::Value*>(value.pointer);
}
// Takes over every tensor of a result, since all were handed over. PyTorch's signature says how many there
// are.
inline TensorPair to_pair(const kgrade_extension::Value& value) {
  return TensorPair(to_tensor(entries_of(value)[0]), to_tensor(entries_of(value)[1]));
}
inline std::tuple<Tensor, Tensor, Tensor> to_triple(const kgrade_extension::Value& value) {
  const auto* entries = entries_of(value);
  return std::tuple<Tensor, Tensor, Tensor>(to_tensor(entries[0]), to_tensor(entries[1]),
                                            to_tensor(entries[2]));
}
#ifdef KGRADE_USES_vector
inline std::vector<Tensor> to_vector(const kgrade_extension::Value& value) {
  std::vector<Tensor> tensors;
  for (int32_t i = 0; i < value.count; ++i) tensors.push_back(to_tensor(entries_of(value)[i]));
  return tensors;
}
#endif
// The result of an in-place operator, which is its first argument.
inline Tensor& to_itself(const Tensor& tensor, const kgrade_extension::Value& value) {
  to_tensor(value);
  return const_cast<Tensor&>(tensor);
}

inline Argument::Argument(const Tensor& tensor) {
  tensor.defined() ? point(Kind::tensor, tensor.record(), 0) : set(Kind::none);
}
inline Argument::Argument(std::initializer_list<Tensor> tensors) {
  set_list(tensors.begin(), tensors.size());
}
inline Argument::Argument(ArrayRef<Tensor> tensors) { set_list(tensors.data(), tensors.size()); }
#ifdef KGRADE_USES_vector
inline Argument::Argument(const std::vector<Tensor>& tensors) { set_list(tensors.data(), tensors.size()); }
#endif
__attribute__((noinline)) inline void Argument::set_list(const Tensor* tensors, size_t count) {
  list_ = new kgrade_extension::Value[count];
  for (size_t i = 0; i < count; ++i) list_[i] = Argument(tensors[i]).value();
  point(Kind::list, list_, count);
}

__attribute__((noinline)) inline Tensor Tensor::apply(const char* name, const Argument& a,
                                                      const Argument& b) const {
  return to_tensor(call(name, {Argument(*this).value(), a.value(), b.value()}));
}
__attribute__((noinline)) inline Tensor& Tensor::apply_in_place(const char* name, const Argument& a) const {
  return to_itself(*this, call(name, {Argument(*this).value(), a.value()}));
}

#define KGRADE_OPERATOR(name) KGRADE_IF_USED(KGRADE_DEFINITION, name)
#define KGRADE_DEFINITION(name)                                                              \
  inline Tensor Tensor::name(const Argument& a, KGRADE_PARAMETERS) const {                   \
    return to_tensor(call(#name, {Argument(*this).value(), a.value(), KGRADE_MORE_VALUES})); \
  }
#define KGRADE_PARAMETERS                                                                        \
  const Argument &b, const Argument &c, const Argument &d, const Argument &e, const Argument &f, \
      const Argument &g, const Argument &h, const Argument &i, const Argument &j
KGRADE_OPERATORS_EVERYWHERE(KGRADE_OPERATOR)
KGRADE_METHODS(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION

#define KGRADE_DEFINITION(name)                                                                     \
  inline Tensor& Tensor::name(const Argument& a, KGRADE_PARAMETERS) const {                         \
    return to_itself(*this, call(#name, {Argument(*this).value(), a.value(), KGRADE_MORE_VALUES})); \
  }
KGRADE_METHODS_IN_PLACE(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION

#define KGRADE_DEFINITION(name)                                                            \
  inline TensorPair Tensor::name(const Argument& a, KGRADE_PARAMETERS) const {             \
    return to_pair(call(#name, {Argument(*this).value(), a.value(), KGRADE_MORE_VALUES})); \
  }
KGRADE_PAIRS_EVERYWHERE(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION

#ifdef KGRADE_USES_vector
#define KGRADE_DEFINITION(name)                                                              \
  inline std::vector<Tensor> Tensor::name(const Argument& a, KGRADE_PARAMETERS) const {      \
    return to_vector(call(#name, {Argument(*this).value(), a.value(), KGRADE_MORE_VALUES})); \
  }
KGRADE_LISTS_EVERYWHERE(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#endif
#undef KGRADE_PARAMETERS

#define KGRADE_FUNCTION(name, Result, take)                    \
  inline Result name(const Argument& a, KGRADE_MORE) {         \
    return take(call(#name, {a.value(), KGRADE_MORE_VALUES})); \
  }
#define KGRADE_DEFINITION(name) KGRADE_FUNCTION(name, Tensor, to_tensor)
KGRADE_OPERATORS_EVERYWHERE(KGRADE_OPERATOR)
KGRADE_FUNCTIONS(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#define KGRADE_DEFINITION(name) KGRADE_FUNCTION(name, TensorPair, to_pair)
KGRADE_PAIRS_EVERYWHERE(KGRADE_OPERATOR)
KGRADE_PAIRS(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#define KGRADE_TRIPLE std::tuple<Tensor, Tensor, Tensor>
#define KGRADE_DEFINITION(name) KGRADE_FUNCTION(name, KGRADE_TRIPLE, to_triple)
KGRADE_TRIPLES(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#undef KGRADE_TRIPLE
#ifdef KGRADE_USES_vector
#define KGRADE_DEFINITION(name) KGRADE_FUNCTION(name, std::vector<Tensor>, to_vector)
KGRADE_LISTS_EVERYWHERE(KGRADE_OPERATOR)
KGRADE_LISTS(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#endif
#undef KGRADE_FUNCTION
#define KGRADE_DEFINITION(name)                                                  \
  inline Tensor& name(const Tensor& a, KGRADE_MORE) {                            \
    return to_itself(a, call(#name, {Argument(a).value(), KGRADE_MORE_VALUES})); \
  }
KGRADE_FUNCTIONS_IN_PLACE(KGRADE_OPERATOR)
#undef KGRADE_DEFINITION
#undef KGRADE_OPERATOR

// max, min and median return a tensor, or values and indices.
#define KGRADE_EXTREMUM(name)                                    \
  inline Tensor Tensor::name() const { return at::name(*this); } \
  inline TensorPair Tensor::name(int64_t dim, bool keepdim) const { return at::name(*this, dim, keepdim); }
#define KGRADE_EXTREMUM_FUNCTION(name)                                                                    \
  inline Tensor name(const Tensor& a) { return to_tensor(call(#name, {Argument(a).value()})); }           \
  inline TensorPair name(const Tensor& a, int64_t dim, bool keepdim = false) {                            \
    return to_pair(call(#name, {Argument(a).value(), Argument(dim).value(), Argument(keepdim).value()})); \
  }
#define KGRADE_EXTREMUM_OF_TWO(name)                                           \
  inline Tensor name(const Tensor& a, const Tensor& b) {                       \
    return to_tensor(call(#name, {Argument(a).value(), Argument(b).value()})); \
  }                                                                            \
  inline Tensor Tensor::name(const Tensor& other) const { return at::name(*this, other); }
KGRADE_EXTREMUM_FUNCTION(max)
KGRADE_EXTREMUM_FUNCTION(min)
KGRADE_EXTREMUM_FUNCTION(median)
KGRADE_EXTREMUM_OF_TWO(max)
KGRADE_EXTREMUM_OF_TWO(min)
KGRADE_EXTREMUM(max)
KGRADE_EXTREMUM(min)
KGRADE_EXTREMUM(median)
#undef KGRADE_EXTREMUM
#undef KGRADE_EXTREMUM_FUNCTION
#undef KGRADE_EXTREMUM_OF_TWO

inline Scalar Tensor::item() const { return Scalar(call("item", {Argument(*this).value()})); }
inline bool equal(const Tensor& a, const Tensor& b) {
  return call("equal", {Argument(a).value(), Argument(b).value()}).integer != 0;
}
inline bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
                     bool equal_nan = false) {
  return call("allclose", {Argument(a).value(), Argument(b).value(), Argument(rtol).value(),
                           Argument(atol).value(), Argument(equal_nan).value()})
             .integer != 0;
}
inline bool Tensor::equal(const Tensor& other) const { return at::equal(*this, other); }
inline bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return at::allclose(*this, other, rtol, atol, equal_nan);
}
inline bool Tensor::is_nonzero() const { return call("is_nonzero", {Argument(*this).value()}).integer != 0; }
inline bool Tensor::is_alias_of(const Tensor& other) const {
  return call(".is_alias_of", {Argument(*this).value(), Argument(other).value()}).integer != 0;
}

// Whether the dimensions lie in memory in this order, and the last one is contiguous. Sizes of 1 may have any
// stride.
inline bool Tensor::is_dense_in(std::initializer_list<int> order) const {
  if (static_cast<size_t>(dim()) != order.size()) return false;
  int64_t expected = 1;
  for (const int* at = order.end(); at != order.begin();) {
    const int d = *--at;
    if (sizes()[d] != 1 && strides()[d] != expected) return false;
    expected *= sizes()[d];
  }
  return true;
}
inline bool Tensor::is_contiguous(MemoryFormat format) const {
  switch (format) {
    case MemoryFormat::ChannelsLast:
      return is_dense_in({0, 2, 3, 1});
    case MemoryFormat::ChannelsLast3d:
      return is_dense_in({0, 2, 3, 4, 1});
    default:
      return has(kgrade_extension::contiguous_flag);
  }
}
inline MemoryFormat Tensor::suggest_memory_format() const {
  return static_cast<MemoryFormat>(call(".suggest_memory_format", {Argument(*this).value()}).integer);
}
inline Tensor Tensor::contiguous(MemoryFormat format) const {
  if (is_contiguous(format)) return *this;
  return to_tensor(call("contiguous", {Argument(*this).value(), Argument(format).value()}));
}

#define KGRADE_ARITHMETIC(op, name)                                                         \
  inline Tensor operator op(const Tensor& a, const Tensor& b) { return a.apply(#name, b); } \
  inline Tensor operator op(const Tensor& a, const Scalar& b) { return a.apply(#name, b); }
KGRADE_ARITHMETIC(+, add)
KGRADE_ARITHMETIC(-, sub)
KGRADE_ARITHMETIC(*, mul)
KGRADE_ARITHMETIC(/, div)
KGRADE_ARITHMETIC(%, remainder)
KGRADE_ARITHMETIC(==, eq)
KGRADE_ARITHMETIC(!=, ne)
KGRADE_ARITHMETIC(<, lt)
KGRADE_ARITHMETIC(<=, le)
KGRADE_ARITHMETIC(>, gt)
KGRADE_ARITHMETIC(>=, ge)
KGRADE_ARITHMETIC(&, bitwise_and)
KGRADE_ARITHMETIC(|, bitwise_or)
#undef KGRADE_ARITHMETIC
inline Tensor operator+(const Scalar& a, const Tensor& b) { return b.apply("add", a); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return b.apply("mul", a); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return b.apply("rsub", a); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return b.apply("reciprocal").apply("mul", a); }

#ifdef KGRADE_USES_optional
inline optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? optional<Device>(tensor.device()) : nullopt;
}
#endif

inline void append(Text& text, const Scalar& more) {
  more.isFloatingPoint() ? c10::append(text, more.toDouble()) : c10::append(text, more.toLong());
}

}  // namespace at

namespace torch {

using namespace at;
using Dtype = at::ScalarType;

#ifdef KGRADE_USES_vector
// torch::tensor(3.5f), torch::tensor({1, 2, 3}, options). The element type is the C++ type unless the options
// name another one.
template <class T>
Tensor tensor_of(const T* values, size_t count, bool scalar, const TensorOptions& options) {
  const auto all = options.has_dtype() ? options : options.dtype(CppTypeToScalarType<T>::value);
  if constexpr (std::is_floating_point<T>::value) {
    const std::vector<double> wide(values, values + count);
    return to_tensor(
        call(".tensor", {Argument(wide).value(), Argument(scalar).value(), Argument(all).value()}));
  } else {
    const std::vector<int64_t> wide(values, values + count);
    return to_tensor(
        call(".tensor", {Argument(wide).value(), Argument(scalar).value(), Argument(all).value()}));
  }
}
template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
Tensor tensor(T value, const TensorOptions& options = {}) {
  return tensor_of(&value, 1, true, options);
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions& options = {}) {
  return tensor_of(values.begin(), values.size(), false, options);
}
template <class T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
  return tensor_of(values.data(), values.size(), false, options);
}
template <class T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
  return tensor_of(values.data(), values.size(), false, options);
}
#endif

// Turns gradients on or off while this object lives.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool on) : before_(set(on)) {}
  ~GradModeGuard() { set(before_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  static bool set(bool on) { return call(".set_grad_enabled", {Argument(on).value()}).integer != 0; }
  bool before_;
};
struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};
struct AutoGradMode : GradModeGuard {
  using GradModeGuard::GradModeGuard;
};

}  // namespace torch

namespace at {
using torch::AutoGradMode;
using torch::NoGradGuard;
}  // namespace at
