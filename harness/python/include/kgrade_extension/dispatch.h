// AT_DISPATCH_...: a block of code compiled once for each element type, with `scalar_t` as its name.
#pragma once

#include "kgrade_extension/tensor.h"

namespace at::detail {

inline ScalarType scalar_type(ScalarType type) { return type; }
inline ScalarType scalar_type(TypeMeta type) { return type.toScalarType(); }
inline ScalarType scalar_type(const TypeProperties& type) { return type.scalarType(); }

}  // namespace at::detail

#define AT_PRIVATE_CASE_TYPE_USING_HINT(type, hint, ...)                          \
  case type: {                                                                    \
    using hint [[maybe_unused]] = typename c10::ScalarTypeToCPPType<type>::type_; \
    return __VA_ARGS__();                                                         \
  }
#define AT_DISPATCH_CASE(type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                      \
  [&] {                                                                                          \
    const auto kgrade_type = ::at::detail::scalar_type(TYPE);                                    \
    switch (kgrade_type) {                                                                       \
      __VA_ARGS__                                                                                \
      default:                                                                                   \
        ::c10::throw_error("NotImplementedError",                                                \
                           ::c10::str('"', NAME, "\" not implemented for '", kgrade_type, "'")); \
    }                                                                                            \
  }()

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)            \
  AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)          \
  AT_DISPATCH_CASE(at::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(at::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(at::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(at::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

#define KGRADE_DISPATCH(GROUP, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_##GROUP(__VA_ARGS__))
#define KGRADE_DISPATCH_AND(GROUP, T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_##GROUP(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define KGRADE_DISPATCH_AND2(GROUP, T1, T2, TYPE, NAME, ...)                                 \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                             \
                     AT_DISPATCH_CASE_##GROUP(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define KGRADE_DISPATCH_AND3(GROUP, T1, T2, T3, TYPE, NAME, ...)                             \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                             \
                     AT_DISPATCH_CASE_##GROUP(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__) AT_DISPATCH_CASE(T3, __VA_ARGS__))

#define AT_DISPATCH_FLOATING_TYPES(...) KGRADE_DISPATCH(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(...) \
  KGRADE_DISPATCH_AND(FLOATING_TYPES, at::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(...) KGRADE_DISPATCH_AND(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(...) KGRADE_DISPATCH_AND2(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(...) KGRADE_DISPATCH_AND3(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(...) KGRADE_DISPATCH(INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(...) KGRADE_DISPATCH_AND(INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(...) KGRADE_DISPATCH(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(...) KGRADE_DISPATCH_AND(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(...) KGRADE_DISPATCH_AND2(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(...) KGRADE_DISPATCH_AND3(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                                \
                     AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Int, index_t, __VA_ARGS__) \
                         AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Long, index_t, __VA_ARGS__))

namespace at {

// The type in which sums of T are accumulated.
template <class T, bool on_cuda>
struct AccumulateType {
  using type =
      std::conditional_t<std::is_integral<T>::value, int64_t, std::conditional_t<on_cuda, T, double>>;
};
template <bool on_cuda>
struct AccumulateType<Half, on_cuda> {
  using type = float;
};
template <bool on_cuda>
struct AccumulateType<BFloat16, on_cuda> {
  using type = float;
};
template <class T, bool on_cuda>
using acc_type = typename AccumulateType<T, on_cuda>::type;
template <class T>
using opmath_type =
    std::conditional_t<std::is_same<T, Half>::value || std::is_same<T, BFloat16>::value, float, T>;

template <class T, class U,
          std::enable_if_t<std::is_integral<T>::value && std::is_integral<U>::value, int> = 0>
C10_HOST_DEVICE T ceil_div(T a, U b) {
  return (a + b - 1) / b;
}

}  // namespace at
