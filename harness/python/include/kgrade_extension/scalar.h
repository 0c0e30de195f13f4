// c10::Scalar: a number of any kind.
#pragma once

#include "kgrade_extension/scalar_types.h"

namespace c10 {

class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Scalar(T value) {
    if constexpr (std::is_floating_point<T>::value) {
      value_ = {kgrade_extension::Kind::real, 0, {}};
      value_.real = static_cast<double>(value);
    } else {
      value_ = {
          std::is_same<T, bool>::value ? kgrade_extension::Kind::boolean : kgrade_extension::Kind::integer,
          0,
          {}};
      value_.integer = static_cast<int64_t>(value);
    }
  }
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}
  explicit Scalar(const kgrade_extension::Value& value) : value_(value) {}

  template <class T>
  T to() const {
    if constexpr (std::is_same<T, Half>::value || std::is_same<T, BFloat16>::value) {
      return T(static_cast<float>(isFloatingPoint() ? value_.real : static_cast<double>(value_.integer)));
    } else {
      return isFloatingPoint() ? static_cast<T>(value_.real) : static_cast<T>(value_.integer);
    }
  }
  float toFloat() const { return to<float>(); }
  double toDouble() const { return to<double>(); }
  int toInt() const { return to<int>(); }
  int64_t toLong() const { return to<int64_t>(); }
  bool toBool() const { return to<bool>(); }
  Half toHalf() const { return to<Half>(); }
  bool isFloatingPoint() const { return value_.kind == kgrade_extension::Kind::real; }
  bool isBoolean() const { return value_.kind == kgrade_extension::Kind::boolean; }
  bool isIntegral(bool with_bool) const { return !isFloatingPoint() && (with_bool || !isBoolean()); }
  const kgrade_extension::Value& value() const { return value_; }
  Scalar operator-() const { return isFloatingPoint() ? Scalar(-value_.real) : Scalar(-value_.integer); }

 private:
  kgrade_extension::Value value_;
};

}  // namespace c10
