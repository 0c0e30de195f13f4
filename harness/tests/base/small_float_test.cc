#include "base/small_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kgrade::small_float_test {

constexpr SmallFloat with_sign[] = {SmallFloat::e2m1, SmallFloat::e4m3, SmallFloat::e5m2};

int codes_of(SmallFloat format) { return format == SmallFloat::e2m1 ? 16 : 256; }

TEST(SmallFloat, HasTheNumbersOfItsSpecification) {
  std::vector<float> sizes;
  for (std::uint32_t code = 0; code < 8; ++code) sizes.push_back(decode(SmallFloat::e2m1, code));
  EXPECT_EQ(sizes, (std::vector<float>{0, 0.5, 1, 1.5, 2, 3, 4, 6}));
  EXPECT_EQ(decode(SmallFloat::e2m1, 0xF), -6);
  EXPECT_EQ(decode(SmallFloat::e4m3, 0x01), 0x1p-9F);
  EXPECT_EQ(decode(SmallFloat::e4m3, 0x08), 0x1p-6F);
  EXPECT_EQ(decode(SmallFloat::e4m3, 0x7E), 448);
  EXPECT_TRUE(std::isnan(decode(SmallFloat::e4m3, 0x7F)));
  EXPECT_EQ(decode(SmallFloat::e5m2, 0x01), 0x1p-16F);
  EXPECT_EQ(decode(SmallFloat::e5m2, 0x7B), 57344);
  EXPECT_TRUE(std::isinf(decode(SmallFloat::e5m2, 0x7C)));
  EXPECT_TRUE(std::isnan(decode(SmallFloat::e5m2, 0x7D)));
  EXPECT_EQ(decode(SmallFloat::e8m0, 0), 0x1p-127F);
  EXPECT_EQ(decode(SmallFloat::e8m0, 127), 1);
  EXPECT_EQ(decode(SmallFloat::e8m0, 254), 0x1p127F);
  EXPECT_TRUE(std::isnan(decode(SmallFloat::e8m0, 255)));
}

TEST(SmallFloat, EveryFiniteNumberHasItsCode) {
  for (const SmallFloat format : with_sign) {
    for (int code = 0; code < codes_of(format); ++code) {
      const float value = decode(format, static_cast<std::uint32_t>(code));
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(encode(format, value), static_cast<std::uint32_t>(code)) << value;
    }
  }
  for (std::uint32_t code = 0; code < 255; ++code)
    EXPECT_EQ(encode(SmallFloat::e8m0, decode(SmallFloat::e8m0, code)), code);
}

TEST(SmallFloat, WhatIsMidwayGetsTheEvenCodeAndWhatIsBeyondTheLargest) {
  for (const SmallFloat format : with_sign) {
    float last = 0;
    for (std::uint32_t code = 0; std::isfinite(decode(format, code + 1)) && decode(format, code + 1) > last;
         ++code) {
      last = decode(format, code + 1);
      const float middle = (decode(format, code) + last) / 2;
      EXPECT_EQ(encode(format, middle), code % 2 == 0 ? code : code + 1);
      EXPECT_EQ(encode(format, std::nextafter(middle, 0.0F)), code);
      EXPECT_EQ(encode(format, std::nextafter(middle, 1e9F)), code + 1);
    }
    EXPECT_EQ(decode(format, encode(format, 1e30F)), last);
    EXPECT_EQ(decode(format, encode(format, -INFINITY)), -last);
  }
  EXPECT_EQ(encode(SmallFloat::e8m0, 3e38F), 254u);
  EXPECT_EQ(encode(SmallFloat::e8m0, 1.4F), 127u);
  EXPECT_EQ(encode(SmallFloat::e8m0, 1.5F), 128u);
}

}  // namespace kgrade::small_float_test
