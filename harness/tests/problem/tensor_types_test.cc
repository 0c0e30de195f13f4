// Tensors whose type is not [VAR], and how such outputs are compared.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/case.h"
#include "problem/lint.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace tensor_types_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Ne;
using ::testing::SizeIs;

// `input` adds to the keys of the input, `output` to those of the output.
std::string largest(const std::string& input, const std::string& output) {
  return fmt::format(R"(---
slug: largest
title: Largest of each row
difficulty: EASY
parameters:
  - {{name: x, pointer: true, const: true, shape: [rows, columns, 2], {}}}
  - {{name: y, pointer: true, const: false, shape: [rows, 2], {}}}
  - {{name: rows, type: size_t, pointer: false}}
  - {{name: columns, type: size_t, pointer: false}}
dtypes: [float32, float16]
cases:
  - {{name: tiny, role: test, rows: 3, columns: 5}}
  - {{name: large, role: bench, rows: 64, columns: 32}}
---
Text.
)",
                     input, output);
}

constexpr const char* drawn = "type: '[VAR]', init: 'uniform(0, 1)'";

std::string said_of(const std::string& text) {
  const auto problem = parse_problem(text, "largest.md");
  if (!problem) return to_string(problem.errors());
  const auto bound = resolve_case(*problem, problem->cases.front());
  return bound ? to_string(missing_for_grading(*problem)) : to_string(bound.errors());
}

Case tiny_of(const std::string& text) {
  const Problem problem = parsed(text);
  const auto bound = resolve_case(problem, problem.cases.front());
  EXPECT_TRUE(bound.ok()) << to_string(bound.errors());
  return bound ? *bound : Case{};
}

TEST(TensorTypes, ThoseOfCppAreKnownByTheirElements) {
  const auto element_of = [](std::string_view name) { return find_scalar_type(name)->element; };
  EXPECT_EQ(element_of("int"), Dtype::int32);
  EXPECT_EQ(element_of("long long"), Dtype::int64);
  EXPECT_EQ(element_of("size_t"), Dtype::uint64);
  EXPECT_EQ(element_of("uint8_t"), Dtype::uint8);
  EXPECT_EQ(element_of("short"), Dtype::int16);
  EXPECT_EQ(element_of("bool"), Dtype::boolean);
  EXPECT_EQ(element_of("float"), Dtype::float32);
  EXPECT_EQ(element_of("double"), Dtype::float64);
  EXPECT_EQ(element_of("[VAR]"), std::nullopt);
  EXPECT_THAT(same_types("int64_t"), ElementsAre("int64_t", "long", "long long"));
  EXPECT_THAT(same_types("bool"), ElementsAre("bool"));
  EXPECT_THAT(same_types("__half"), ElementsAre("__half"));
}

TEST(TensorTypes, StayWhatTheyAreWhateverTheElementTypeIs) {
  const std::string text = largest(drawn, "type: int64_t");
  const Case bound = tiny_of(text);
  EXPECT_EQ(bound.dtype_of(bound.tensors[0]), Dtype::float32);
  EXPECT_EQ(bound.dtype_of(bound.tensors[1]), Dtype::int64);
  EXPECT_EQ(bound.tensor_bytes(), 30 * 4 + 6 * 8);
  const auto narrow = with_dtype(parsed(text), "float16");
  ASSERT_TRUE(narrow.ok());
  const auto as_halves = resolve_case(*narrow, narrow->cases.front());
  ASSERT_TRUE(as_halves.ok());
  EXPECT_EQ(as_halves->dtype_of(as_halves->tensors[1]), Dtype::int64);
  EXPECT_EQ(as_halves->tensor_bytes(), 30 * 2 + 6 * 8);
  EXPECT_THAT(signature(*narrow), HasSubstr("(const __half* x, int64_t* y,"));
}

TEST(TensorTypes, DoublesAreInputsAndOutputs) {
  const std::string text = largest("type: double, init: \"normal(0, 1)\"", "type: float64");
  EXPECT_EQ(said_of(text), "");
  const Case bound = tiny_of(text);
  EXPECT_EQ(bound.dtype_of(bound.tensors[0]), Dtype::float64);
  EXPECT_EQ(bound.tensors[1].compare, Comparison::Kind::norm);
  EXPECT_EQ(bound.tensor_bytes(), (30 + 6) * 8);
  EXPECT_THAT(signature(parsed(text)), HasSubstr("(const double* x, double* y,"));
  EXPECT_THAT(cuda_headers(parsed(text), Dtype::float32), IsEmpty());
  EXPECT_THAT(said_of(largest("type: double, init: \"normal(0, 1e40)\"", "type: double")),
              HasSubstr("its numbers must fit into a float"));
}

TEST(TensorTypes, OtherSitesNamesOfNarrowTypesAreRead) {
  const Case bound = tiny_of(largest("type: float8, init: \"uniform(0, 1)\"", "type: float"));
  EXPECT_EQ(bound.dtype_of(bound.tensors[0]), Dtype::float8_e4m3fn);
  EXPECT_EQ(bound.tensor_bytes(), 30 + 6 * 4);
  const Problem problem = parsed(largest("type: float16, init: \"uniform(0, 1)\"", "type: float"));
  EXPECT_THAT(signature(problem), HasSubstr("(const __half* x, float* y,"));
  EXPECT_THAT(cuda_headers(problem, Dtype::bfloat16), ElementsAre("cuda_bf16.h", "cuda_fp16.h"));
}

TEST(TensorTypes, WhatIsExpectedOfAnOutputOf16BitsIsNotRounded) {
  const Case bound = tiny_of(largest("type: __nv_bfloat16, init: \"uniform(0, 1)\"", "type: __half"));
  const Tensor& input = bound.tensors[0];
  const Tensor& output = bound.tensors[1];
  EXPECT_EQ(bound.stored_as(output, false), Dtype::float16);
  EXPECT_EQ(bound.stored_as(output, true), Dtype::float32);
  EXPECT_EQ(bound.stored_as(input, true), Dtype::bfloat16) << "the oracle reads what the others read";
}

TEST(TensorTypes, AnOutputOfEightBitsIsOfCodes) {
  EXPECT_THAT(said_of(largest(drawn, "type: __nv_fp8_e5m2")),
              HasSubstr("the output 'y' is of type __nv_fp8_e5m2"));
}

TEST(TensorTypes, PowersOfTwoAreDrawnAboveZero) {
  const std::string text = largest("type: __nv_fp8_e8m0, init: \"uniform(0.5, 4)\"", "type: float");
  EXPECT_EQ(said_of(text), "");
  const Case bound = tiny_of(text);
  EXPECT_EQ(bound.dtype_of(bound.tensors[0]), Dtype::float8_e8m0fnu);
  EXPECT_EQ(bound.tensor_bytes(), 30 + 6 * 4);
  EXPECT_THAT(signature(parsed(text)), HasSubstr("(const __nv_fp8_e8m0* x, float* y,"));
  EXPECT_THAT(cuda_headers(parsed(text), Dtype::float32), ElementsAre("cuda_fp8.h"));
  for (const std::string init : {"ones", "constant(0.25)", "choice(0.5, 2)"})
    EXPECT_EQ(said_of(largest("type: float8_e8m0fnu, init: \"" + init + "\"", "type: float")), "") << init;
  for (const std::string init : {"uniform(0, 1)", "normal(8, 1)", "zeros", "choice(-1, 1)", "labels(3)",
                                 "triangular(ones, upper)", "bernoulli(0.5)"})
    EXPECT_THAT(said_of(largest("type: float8_e8m0fnu, init: \"" + init + "\"", "type: float")),
                HasSubstr("may draw 0 or less, and the type is __nv_fp8_e8m0"))
        << init;
  EXPECT_THAT(said_of(largest("type: float8_e8m0fnu, init: \"uniform(5, 7)\"", "type: float")),
              HasSubstr("has no power of two between its ends"));
  for (const std::string init : {"uniform(1e-39, 1)", "uniform(1, 3e38)", "constant(3e38)"})
    EXPECT_THAT(said_of(largest("type: float8_e8m0fnu, init: \"" + init + "\"", "type: float")),
                HasSubstr("goes beyond the numbers of __nv_fp8_e8m0"))
        << init;
}

TEST(TensorTypes, CodesAreDrawnAsBytes) {
  const auto codes =
      tiny_of(largest("type: uint8_t, init: \"e4m3(normal(0, 2))\"", "type: float")).tensors[0].init;
  EXPECT_EQ(codes.encoding, SmallFloat::e4m3);
  EXPECT_EQ(codes.kind, ResolvedInit::Kind::normal);
  EXPECT_EQ(codes.second, 2);
  EXPECT_THAT(said_of(largest("type: int, init: \"e8m0(normal(0, 2))\"", "type: float")),
              HasSubstr("draws bytes, and the type is int"));
  for (const char* wrong :
       {"e4m3(labels(3))", "e4m3(e5m2(ones))", "e5m2(symmetric(ones))", "e8m0(1)", "e4m3"})
    EXPECT_THAT(said_of(largest("type: uint8_t, init: \"" + std::string(wrong) + "\"", "type: float")),
                HasSubstr("is of a distribution of numbers alone"))
        << wrong;
}

TEST(TensorTypes, IntegersAreDrawnFromValuesOfTheirType) {
  EXPECT_EQ(said_of(largest("type: int8_t, init: \"integers(-128, 127)\"", "type: float")), "");
  EXPECT_EQ(said_of(largest("type: bool, init: ones", "type: float")), "");
  EXPECT_THAT(said_of(largest("type: int8_t, init: \"integers(0, 128)\"", "type: float")),
              HasSubstr("has values that int8_t does not hold"));
  EXPECT_THAT(said_of(largest("type: bool, init: \"integers(-1, 1)\"", "type: float")),
              HasSubstr("has values that bool does not hold"));
  EXPECT_THAT(said_of(largest("type: int, init: \"uniform(0, 1)\"", "type: float")),
              HasSubstr("draws no integers, and the type is int"));
  EXPECT_THAT(said_of(largest("type: int, init: \"constant(0.5)\"", "type: float")),
              HasSubstr("must be an integer of at most 2^24"));
}

TEST(Comparisons, AreByTheNormForFloatsAndExactForIntegers) {
  EXPECT_EQ(tiny_of(largest(drawn, "type: float")).tensors[1].compare, Comparison::Kind::norm);
  EXPECT_EQ(tiny_of(largest(drawn, "type: float, compare: exact")).tensors[1].compare,
            Comparison::Kind::exact);
  EXPECT_EQ(tiny_of(largest(drawn, "type: bool")).tensors[1].compare, Comparison::Kind::exact);
  EXPECT_THAT(said_of(largest(drawn, "type: int, compare: norm")), HasSubstr("'compare' is norm"));
}

TEST(Comparisons, OfIndicesNameTheirTensorAndAxis) {
  const auto tied = tiny_of(largest(drawn, "type: int64_t, compare: \"ties(x, 1)\"")).tensors[1].tied;
  ASSERT_TRUE(tied.has_value());
  EXPECT_EQ(tied->tensor, 0u);
  EXPECT_EQ(tied->axis, 1u);
  EXPECT_EQ(tiny_of(largest(drawn, "type: int64_t, compare: \"ties(x, -2)\"")).tensors[1].tied->axis, 1u);
  EXPECT_EQ(tiny_of(largest(drawn, "type: int64_t, compare: ties(x)")).tensors[1].tied->axis, std::nullopt);
  EXPECT_FALSE(tied->are_distinct);
  const auto distinct =
      tiny_of(largest(drawn, "type: int, compare: \"ties(x, 1, distinct)\"")).tensors[1].tied;
  EXPECT_TRUE(distinct->are_distinct);
  EXPECT_EQ(distinct->axis, 1u);
  EXPECT_TRUE(
      tiny_of(largest(drawn, "type: int, compare: \"ties(x, distinct)\"")).tensors[1].tied->are_distinct);
}

TEST(Comparisons, SayWhatIsWrongWithThem) {
  const auto said = [](const std::string& compare, const std::string& type = "int64_t") {
    return said_of(largest(drawn, fmt::format("type: {}, compare: \"{}\"", type, compare)));
  };
  EXPECT_THAT(said("ties(z, 1)"), HasSubstr("'compare' of 'y' names 'z', which is no input"));
  EXPECT_THAT(said("ties(y, 1)"), HasSubstr("names 'y', which is no input"));
  EXPECT_THAT(said("ties(x, 3)"), HasSubstr("names axis 3 of 'x', which has 3"));
  EXPECT_THAT(said("ties(x, -4)"), HasSubstr("names axis -4"));
  EXPECT_THAT(said("ties(x, 2)"),
              HasSubstr("does not fit: 'y' has 6 elements, and 'x' 15 lines along axis 2"));
  EXPECT_THAT(said("ties(x, 1)", "float"), HasSubstr("is of no integer type"));
  for (const char* text : {"ties", "ties()", "ties(distinct)", "ties(x, distinct, 1)", "ties(x, 1, 2)",
                           "ties(x, one)", "ties(x", "exact(1)", "near", ""})
    EXPECT_THAT(said(text), HasSubstr("compare")) << text;
  EXPECT_THAT(said_of(largest(std::string(drawn) + ", compare: exact", "type: float")),
              HasSubstr("'x' is no output and has a 'compare'"));
}

std::string exact(const std::string& input, const std::string& output, const std::string& keys = "") {
  std::string text = largest(input, output);
  return text.replace(text.find("cases:"), 0, "precision: exact\n" + keys);
}

TEST(ExactClass, IsForProblemsWhoseOutputsAllCountExactly) {
  for (const char* output :
       {"type: int64_t", "type: '[VAR]', compare: exact", "type: int, compare: 'ties(x, 1)'"}) {
    EXPECT_EQ(said_of(exact(drawn, output)), "") << output;
    EXPECT_TRUE(parsed(exact(drawn, output)).is_exact()) << output;
  }
  EXPECT_THAT(
      said_of(exact(drawn, "type: '[VAR]'")),
      HasSubstr("largest.md:11:12: error: 'precision' is exact, and the output 'y' is compared by the norm"));
}

TEST(ExactClass, HasNoThresholds) {
  EXPECT_THAT(
      said_of(exact(drawn, "type: int", "thresholds: {fp32: 1e-6}\n")),
      HasSubstr("largest.md:12:1: error: 'precision' is exact, and 'thresholds' says how far off an answer "
                "may be"));
}

std::vector<std::string> rules_of(const std::string& input, const std::string& output) {
  std::vector<std::string> rules;
  for (const LintFinding& finding : lint(parsed(largest(input, output)))) {
    if (finding.rule == "exact-class") rules.push_back(to_string(finding));
  }
  return rules;
}

TEST(ExactClass, IsProposedWhereNothingCanBeRounded) {
  const std::string integers = "type: int, init: 'integers(-9, 9)'";
  const std::string counted = "type: int64_t";
  EXPECT_THAT(rules_of(integers, counted),
              ElementsAre(HasSubstr("warning: every output is compared exactly, and 'precision' is fp32")));
  EXPECT_THAT(rules_of(drawn, "type: '[VAR]', compare: exact"), SizeIs(1)) << "moved values";
  EXPECT_THAT(rules_of(drawn, "type: int, compare: 'ties(x, 1)'"), SizeIs(1)) << "chosen in an input";
  EXPECT_THAT(rules_of(drawn, counted), IsEmpty()) << "floats may have been summed before";
  EXPECT_THAT(rules_of(integers, "type: '[VAR]'"), IsEmpty());
  EXPECT_THAT(lint(parsed(exact(integers, counted))), Each(Field(&LintFinding::rule, Ne("exact-class"))));
}

}  // namespace tensor_types_test
}  // namespace kgrade::test
