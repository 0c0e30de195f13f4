// Outputs of codes: how files say what they stand for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/case.h"

namespace kgrade {
namespace quantised_test {

using ::testing::HasSubstr;

std::string text_of(const std::string& compare, const std::string& shape = "[m, k / 32]",
                    const std::string& type = "uint8_t", const std::string& codes = "[m, k / 2]") {
  return fmt::format(R"yaml(---
slug: coded
title: Coded
difficulty: EASY
parameters:
  - {{name: x, type: float, pointer: true, const: true, shape: [m, k], init: "normal(0, 1)"}}
  - {{name: q, type: uint8_t, pointer: true, const: false, shape: {}, compare: "{}"}}
  - {{name: scale, type: {}, pointer: true, const: false, shape: {}}}
  - {{name: factor, type: float, pointer: false}}
  - {{name: m, type: size_t, pointer: false}}
  - {{name: k, type: size_t, pointer: false}}
dtypes: [float32]
precision: bf16
cases:
  - {{name: tiny, role: sample, m: 3, k: 64, factor: 2.5}}
---
)yaml",
                     codes, compare, type, shape);
}

Result<Case> tiny_of(const std::string& text) {
  const auto problem = parse_problem(text, "coded.md");
  if (!problem) return problem.errors();
  return resolve_case(*problem, problem->cases.front());
}

std::string said_of(const std::string& text) {
  const auto bound = tiny_of(text);
  return bound ? "" : to_string(bound.errors());
}

TEST(QuantisedOutputs, KnowTheirInputAndTheirScales) {
  const auto bound = tiny_of(text_of("quantised(x, e2m1, 32, scale, e8m0)"));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  ASSERT_TRUE(bound->tensors[1].quantised.has_value());
  EXPECT_EQ(bound->tensors[1].quantised->values, 0u);
  EXPECT_EQ(bound->tensors[1].quantised->scales, 2u);
  EXPECT_EQ(bound->tensors[1].quantised->divisor, 1);
  EXPECT_EQ(bound->tensors[2].compare, Comparison::Kind::scales) << "judged with the codes";
}

TEST(QuantisedOutputs, MayHaveScalesInTilesAndADivisor) {
  const std::string padded = "[128, 4]";
  const auto bound =
      tiny_of(text_of("quantised(x, e2m1, 16, scale, e4m3, swizzled, factor)", padded, "__nv_fp8_e4m3"));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  EXPECT_TRUE(bound->tensors[1].quantised->is_swizzled);
  EXPECT_EQ(bound->tensors[1].quantised->divisor, 2.5);
  EXPECT_EQ(bound->dtype_of(bound->tensors[2]), Dtype::float8_e4m3fn);
}

TEST(QuantisedOutputs, MayHaveScalesThatArePowersOfTwo) {
  const auto bound = tiny_of(text_of("quantised(x, e2m1, 32, scale, e8m0)", "[m, k / 32]", "__nv_fp8_e8m0"));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  EXPECT_EQ(bound->dtype_of(bound->tensors[2]), Dtype::float8_e8m0fnu);
  EXPECT_EQ(bound->stored_as(bound->tensors[2], true), Dtype::float8_e8m0fnu) << "scales are codes";
}

TEST(QuantisedOutputs, ThatDoNotFitAreRefusedWithTheReason) {
  EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 16, scale, e8m0)")),
              HasSubstr("96 bytes of codes and 12 scales"));
  EXPECT_THAT(said_of(text_of("quantised(x, e4m3, 32, scale, e8m0)")), HasSubstr("192 bytes of codes"));
  EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 48, scale, e8m0)")),
              HasSubstr("have 64 elements, no multiple of 48"));
  EXPECT_THAT(said_of(text_of("quantised(y, e2m1, 32, scale, e8m0)")),
              HasSubstr("'y', which is not an input"));
  EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 32, q, e8m0)")),
              HasSubstr("'q', which is not another output"));
  EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 32, scale, e8m0, m)")),
              HasSubstr("'m', which is no real scalar"));
  EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 32, scale, e8m0)", "[m, k / 32]", "float")),
              HasSubstr("'scale' holds scales in e8m0, and is of type float"));
  for (const char* other : {"int8_t", "__nv_fp8_e4m3"})
    EXPECT_THAT(said_of(text_of("quantised(x, e2m1, 32, scale, e8m0)", "[m, k / 32]", other)),
                HasSubstr("write `type: uint8_t`, or __nv_fp8_e8m0"));
  for (const char* wrong : {"quantised", "quantised(x)", "quantised(x, e8m0, 32, scale, e8m0)",
                            "quantised(x, e2m1, 3, scale, e8m0)", "quantised(x, e2m1, 32, scale, e2m1)",
                            "quantised(x, e2m1, 32, scale, e8m0, factor, swizzled)"})
    EXPECT_THAT(said_of(text_of(wrong)), HasSubstr("'compare' is")) << wrong;
}

}  // namespace quantised_test
}  // namespace kgrade
