#include "base/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

namespace kgrade::dtype_test {

constexpr Dtype narrow_dtypes[] = {Dtype::float16, Dtype::bfloat16};
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

int mantissa_bits(Dtype dtype) { return dtype == Dtype::float16 ? 10 : 7; }
int least_exponent(Dtype dtype) { return dtype == Dtype::float16 ? -14 : -126; }

// Arithmetic instead of bits: round to the nearest multiple of the last place, to even.
double rounded_by_arithmetic(Dtype dtype, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const double last_place =
      std::ldexp(1, std::max(exponent - 1, least_exponent(dtype)) - mantissa_bits(dtype));
  const double rounded = std::nearbyint(value / last_place) * last_place;
  return std::fabs(rounded) > double{largest_finite(dtype)} ? std::copysign(double{inf}, value) : rounded;
}

TEST(Dtype, HasItsNames) {
  for (const Dtype dtype : var_dtypes) EXPECT_EQ(dtype_from(to_string(dtype)), dtype);
  EXPECT_FALSE(dtype_from("float64"));
  EXPECT_EQ(cuda_type(Dtype::float16), "__half");
  EXPECT_EQ(cuda_type(Dtype::bfloat16), "__nv_bfloat16");
  EXPECT_EQ(element_bytes(Dtype::float32), 4u);
  EXPECT_EQ(element_bytes(Dtype::bfloat16), 2u);
}

TEST(Dtype, EachHasNamesOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> cuda_types;
  for (const Dtype dtype : all_dtypes) {
    EXPECT_TRUE(names.insert(to_string(dtype)).second) << to_string(dtype);
    EXPECT_TRUE(cuda_types.insert(cuda_type(dtype)).second) << to_string(dtype);
    const std::string_view numpy = numpy_type(dtype);
    EXPECT_TRUE(numpy.empty() || numpy.back() - '0' == static_cast<int>(element_bytes(dtype))) << numpy;
  }
}

TEST(Dtype, TheirOrderSaysOfWhichKindTheyAre) {
  for (const Dtype dtype : all_dtypes) {
    EXPECT_EQ(is_integer(dtype), numpy_type(dtype).find_first_of("biu") == 1) << to_string(dtype);
    EXPECT_EQ(is_narrow(dtype), !is_integer(dtype) && element_bytes(dtype) <= 2) << to_string(dtype);
    EXPECT_EQ(is_float8(dtype), !is_integer(dtype) && element_bytes(dtype) == 1) << to_string(dtype);
  }
}

TEST(Dtype, TheRowOfANarrowTypeFitsItsCodes) {
  for (const Dtype dtype : all_dtypes) {
    if (!is_narrow(dtype)) continue;
    float largest = 0;
    int from_1_to_2 = 0;
    int below_normal = 0;
    for (std::uint32_t code = 0; code < (is_float8(dtype) ? 0x100u : 0x10000u); ++code) {
      const float value = decode(dtype, static_cast<std::uint16_t>(code));
      if (!std::isfinite(value) || value <= 0) continue;
      largest = std::max(largest, value);
      from_1_to_2 += value >= 1 && value < 2 ? 1 : 0;
      below_normal += value < smallest_normal(dtype) ? 1 : 0;
    }
    const int per_exponent = 1 << (significant_bits(dtype) - 1);
    EXPECT_EQ(largest, largest_finite(dtype)) << to_string(dtype);
    EXPECT_EQ(from_1_to_2, per_exponent) << to_string(dtype);
    EXPECT_EQ(below_normal, per_exponent - 1) << to_string(dtype);
  }
}

TEST(Dtype, EveryNumberIsReadAndWrittenAsItself) {
  for (const Dtype dtype : narrow_dtypes) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = decode(dtype, static_cast<std::uint16_t>(bits));
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(decode(dtype, encode(dtype, value)))) << bits;
      } else {
        ASSERT_EQ(encode(dtype, value), bits);
      }
    }
  }
}

TEST(Dtype, KnownBits) {
  EXPECT_EQ(encode(Dtype::float16, 1), 0x3c00);
  EXPECT_EQ(encode(Dtype::float16, -2), 0xc000);
  EXPECT_EQ(encode(Dtype::float16, 65504), 0x7bff);
  EXPECT_EQ(encode(Dtype::float16, 65519.996f), 0x7bff);
  EXPECT_EQ(encode(Dtype::float16, 65520), 0x7c00);
  EXPECT_EQ(encode(Dtype::float16, 5.9604645e-8f), 0x0001);
  EXPECT_EQ(encode(Dtype::float16, 2.9802322e-8f), 0x0000) << "a tie goes to the even one";
  EXPECT_EQ(encode(Dtype::float16, -inf), 0xfc00);
  EXPECT_EQ(encode(Dtype::float16, 1e-45f), 0x0000);
  EXPECT_EQ(encode(Dtype::bfloat16, 1), 0x3f80);
  EXPECT_EQ(encode(Dtype::bfloat16, 1 + 1.0f / 256), 0x3f80) << "a tie goes to the even one";
  EXPECT_EQ(encode(Dtype::bfloat16, 1 + 3.0f / 256), 0x3f82);
  EXPECT_EQ(encode(Dtype::bfloat16, std::numeric_limits<float>::max()), 0x7f80);
  // A NaN whose payload is only in the lower half.
  EXPECT_TRUE(std::isnan(decode(Dtype::bfloat16, encode(Dtype::bfloat16, float_of(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(decode(Dtype::float16, encode(Dtype::float16, nan))));
}

// Floats from the whole range, and those halfway between two numbers or next to that.
TEST(Dtype, RoundsToNearestEven) {
  for (const Dtype dtype : narrow_dtypes) {
    for (std::uint64_t bits = 0; bits < 0x100000000u; bits += 40009) {
      const float value = float_of(static_cast<std::uint32_t>(bits));
      if (std::isnan(value)) continue;
      ASSERT_EQ(static_cast<double>(rounded_to(dtype, value)), rounded_by_arithmetic(dtype, value)) << value;
    }
    for (std::uint32_t bits = 0; bits < 0x7f80; bits += 7) {
      const float low = decode(dtype, static_cast<std::uint16_t>(bits));
      const float high = decode(dtype, static_cast<std::uint16_t>(bits + 1));
      if (!std::isfinite(high)) continue;
      const float middle = low + (high - low) / 2;
      for (const float value : {middle, std::nextafter(middle, high), std::nextafter(middle, low)}) {
        ASSERT_EQ(static_cast<double>(rounded_to(dtype, value)), rounded_by_arithmetic(dtype, value))
            << value;
      }
    }
  }
}

TEST(Dtype, NeighboursAreOnePlaceAway) {
  EXPECT_EQ(neighbour_towards(Dtype::float16, 1, 2), 1 + 1.0f / 1024);
  EXPECT_EQ(neighbour_towards(Dtype::float16, 1, -2), 1 - 1.0f / 2048);
  EXPECT_EQ(neighbour_towards(Dtype::float16, -1, -2), -1 - 1.0f / 1024);
  EXPECT_EQ(neighbour_towards(Dtype::float16, -1, 0), -1 + 1.0f / 2048);
  EXPECT_EQ(neighbour_towards(Dtype::float16, 0, -1), -5.9604645e-8f);
  EXPECT_EQ(neighbour_towards(Dtype::float16, -0.0f, 1), 5.9604645e-8f);
  EXPECT_EQ(neighbour_towards(Dtype::bfloat16, 1, 2), 1 + 1.0f / 128);
  EXPECT_EQ(neighbour_towards(Dtype::float16, 65504, 1e9f), inf);
}

TEST(Dtype, DrawnNumbersAreNormalOrZero) {
  constexpr float least = 6.103515625e-05f;  // 2^-14
  EXPECT_EQ(nearest_normal(Dtype::float16, least), least);
  EXPECT_EQ(nearest_normal(Dtype::float16, 0.9f * least), least);
  EXPECT_EQ(nearest_normal(Dtype::float16, -0.6f * least), -least);
  EXPECT_EQ(nearest_normal(Dtype::float16, 0.4f * least), 0);
  EXPECT_FALSE(std::signbit(nearest_normal(Dtype::float16, -0.4f * least)));
  EXPECT_EQ(nearest_normal(Dtype::float16, 1e9f), 65504);
  EXPECT_EQ(nearest_normal(Dtype::float16, -inf), -65504);
  EXPECT_EQ(nearest_normal(Dtype::bfloat16, std::numeric_limits<float>::max()),
            largest_finite(Dtype::bfloat16));
}

TEST(Dtype, DrawnNumbersStayInTheirRange) {
  const auto within = [](float value, double low, double high, bool included = false) {
    return nearest_normal_within(Dtype::float16, value, low, high, included);
  };
  EXPECT_EQ(within(0.99999f, 0, 1), 1 - 1.0f / 2048) << "the upper end is excluded";
  EXPECT_EQ(within(0.99999f, 0, 1, true), 1);
  EXPECT_GE(within(0.1f, 0.1, 0.2), 0.1) << "0.1 rounds to less than 0.1";
  EXPECT_LT(within(0.7f, 0.1, 0.7), 0.7);
  EXPECT_EQ(within(2051, 0, 2051, true), 2050) << "2051 would round to 2052";
  EXPECT_EQ(within(-1e-6f, -1, -1e-6), -6.103515625e-05f);
  EXPECT_EQ(within(6.1e-05f, -1, 6.1e-05), 0) << "between zero and the smallest normal number is none";
}

}  // namespace kgrade::dtype_test
