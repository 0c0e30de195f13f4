// How errors read, and what a Result holds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/result.h"
#include "base/small_float.h"
#include "base/statistics.h"
#include "base/text.h"

namespace kgrade::values_test {

TEST(Error, IsTheUsersFaultUnlessItSaysOtherwise) {
  EXPECT_EQ(Error({"wrong", "", {}}).blame, Blame::user);
  const Error lack = machine_error("no compiler", "install one");
  EXPECT_EQ(lack.blame, Blame::machine);
  EXPECT_EQ(to_string(lack), "error: no compiler\n  hint: install one");
}

TEST(Error, IsBlamedAnewWithTheSameWords) {
  const Errors errors = blamed_on(Blame::machine, {{"first", "", {"a.cu", 3, 0}}, {"second", "", {}}});
  for (const Error& error : errors) EXPECT_EQ(error.blame, Blame::machine) << error.message;
  EXPECT_EQ(to_string(errors), "a.cu:3: error: first\nerror: second");
}

TEST(Error, IsPrintedInTheFormThatEditorsParse) {
  EXPECT_EQ(to_string(Error{"no such thing", "write another", {"a.md", 12, 3}}),
            "a.md:12:3: error: no such thing\n  hint: write another");
}

TEST(Error, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(to_string(Error{"wrong", "", {"a.md", 12, 0}}), "a.md:12: error: wrong");
  EXPECT_EQ(to_string(Error{"wrong", "", {"a.md", 0, 0}}), "a.md: error: wrong");
  EXPECT_EQ(to_string(Error{"wrong", "", {}}), "error: wrong");
}

// A candidate chooses its name and what the compiler quotes from it; neither may control the terminal.
TEST(Error, ShowsControlCharactersAsHexadecimal) {
  EXPECT_EQ(to_string(Error{"quoted \x1b[2J\nline", "try \xc2\x9b", {"a\x1b.cu", 1, 0}}),
            "a\\x1b.cu:1: error: quoted \\x1b[2J\nline\n  hint: try \\xc2\\x9b");
}

TEST(Error, ListsAreOneErrorALine) {
  EXPECT_EQ(to_string(Errors{{"first", "", {}}, {"second", "", {}}}), "error: first\nerror: second");
  EXPECT_EQ(to_string(Errors{}), "");
}

TEST(Result, HoldsAValueOrErrors) {
  Result<std::string> value = std::string("x");
  EXPECT_TRUE(value.ok());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(value->size(), 1U);
  EXPECT_EQ(std::move(value).value(), "x");
  const Result<std::string> failed = Errors{{"first", "", {}}, {"second", "", {}}};
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "first");
  EXPECT_EQ(failed.errors().size(), 2U);
}

// Known answers: the examples that NIST publishes for FIPS 180-4, and lengths around the block size.

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmno"
                "pqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(Sha256, AMillionTimesTheLetterA) {
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, BytesAreBytes) {
  EXPECT_EQ(sha256_hex(std::string_view("\xbd", 1)),
            "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
  EXPECT_EQ(sha256_hex(std::string(4, '\0')),
            "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119");
}

// Padding changes its form at 55, 56 and 64 bytes.
TEST(Sha256, LengthsAroundTheBlock) {
  EXPECT_EQ(sha256_hex(std::string(55, '\0')),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(sha256_hex(std::string(56, '\0')),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(sha256_hex(std::string(57, '\0')),
            "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785");
  EXPECT_EQ(sha256_hex(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
  EXPECT_EQ(sha256_hex(std::string(1000, '\0')),
            "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53");
}

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

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.5), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, SummaryOfKnownSample) {
  const Summary summary = summarise({10, 30, 20, 50, 40});
  EXPECT_EQ(summary.count, 5u);
  EXPECT_DOUBLE_EQ(summary.median, 30);
  EXPECT_DOUBLE_EQ(summary.first_quartile, 20);
  EXPECT_DOUBLE_EQ(summary.third_quartile, 40);
  EXPECT_DOUBLE_EQ(summary.minimum, 10);
}

TEST(Statistics, OneOutlierDoesNotMoveTheMedian) { EXPECT_DOUBLE_EQ(summarise({1, 1, 1, 1, 1e9}).median, 1); }

TEST(Statistics, GeometricMeanOfRatios) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({0.5, 2}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean({}), 0);
}

}  // namespace kgrade::values_test
