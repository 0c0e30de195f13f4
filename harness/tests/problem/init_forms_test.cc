// Inputs whose numbers or structure a case decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/case.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace init_forms_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view first_input = R"(  - name: input
    type: "[VAR]"
    pointer: true
    const: true
    shape: [rows, columns]
    init: uniform(0, 1)
)";

// The fixture's first input of another type, shape and init.
std::string with_input(std::string_view type, std::string_view shape, std::string_view init) {
  const std::string extents = shape.starts_with('[') ? std::string(shape) : '"' + std::string(shape) + '"';
  std::string input =
      "  - {name: input, type: \"" + std::string(type) + "\", pointer: true, const: true, shape: " + extents;
  if (!init.empty()) input += ", init: \"" + std::string(init) + "\"";
  return edited(row_sum, first_input, input + "}\n");
}

Result<Case> tiny(const std::string& text) {
  const auto problem = parse_problem(text, "problem.md");
  if (!problem) return problem.errors();
  return resolve_case(*problem, *problem->find_case("tiny"));
}

ResolvedInit init_of(const std::string& text) {
  const auto bound = tiny(text);
  if (bound) return bound->tensors[0].init;
  ADD_FAILURE() << to_string(bound.errors());
  return {};
}

std::string error_of(const std::string& text) {
  const auto bound = tiny(text);
  return bound ? "" : bound.error().message;
}

// The case has two rows and three columns.
TEST(InitForms, EndsOfIntegersMayBeExpressions) {
  const ResolvedInit labels = init_of(with_input("int64_t", "[rows]", "labels(columns)"));
  EXPECT_EQ(labels.kind, ResolvedInit::Kind::integers);
  EXPECT_EQ(labels.first, 0);
  EXPECT_EQ(labels.second, 2);
  const ResolvedInit range = init_of(with_input("[VAR]", "[rows]", "integers(-rows, 2 * max(columns, 1))"));
  EXPECT_EQ(range.first, -2);
  EXPECT_EQ(range.second, 6);
}

TEST(InitForms, EndsThatLeaveNothingAreTheCasesFault) {
  EXPECT_THAT(
      error_of(with_input("int64_t", "[rows]", "labels(columns - 3)")),
      HasSubstr("case 'tiny': 'init' of 'input': 'labels(columns - 3)' is empty: `columns - 3` is 0"));
  EXPECT_THAT(error_of(with_input("int64_t", "[rows]", "labels(-9223372036854775807 - rows / 2)")),
              HasSubstr("is empty: `-9223372036854775807 - rows / 2` is -9223372036854775808"));
  EXPECT_THAT(error_of(with_input("int64_t", "[rows]", "integers(columns, rows)")), HasSubstr("from 3 to 2"));
  EXPECT_THAT(error_of(with_input("uint8_t", "[rows]", "labels(columns * 100)")),
              HasSubstr("`columns * 100` gives 299, which uint8_t does not hold"));
  EXPECT_THAT(error_of(with_input("uint8_t", "[rows]", "integers(-rows, 3)")),
              HasSubstr("`-rows` gives -2, which uint8_t does not hold"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", "labels(rows * 16777216)")), HasSubstr("beyond 2^24"));
  EXPECT_THAT(error_of(with_input("int64_t", "[rows]", "labels(colums)")),
              HasSubstr("unknown name 'colums'"));
}

TEST(InitForms, IntegersOfATensorOfIntegersAreAsWideAsItsType) {
  const ResolvedInit wide = init_of(with_input("uint64_t", "[rows]", "integers(0, 9223372036854775807)"));
  EXPECT_EQ(wide.kind, ResolvedInit::Kind::wide_integers);
  EXPECT_EQ(wide.low, 0);
  EXPECT_EQ(wide.high, 9223372036854775807);
  const ResolvedInit below =
      init_of(with_input("int64_t", "[rows]", "integers(-3000000000, rows * 5000000001)"));
  EXPECT_EQ(below.low, -3000000000);
  EXPECT_EQ(below.high, 10000000002);
  EXPECT_EQ(init_of(with_input("int64_t", "[rows]", "labels(rows * 16777217)")).high, 33554433);
  EXPECT_EQ(init_of(with_input("int64_t", "[rows]", "integers(0, 16777216)")).kind,
            ResolvedInit::Kind::integers);
  EXPECT_THAT(error_of(with_input("int", "[rows]", "integers(0, 2147483648)")),
              HasSubstr("int does not hold"));
  EXPECT_THAT(error_of(with_input("int", "[rows]", "integers(0, rows * 2000000000)")),
              HasSubstr("int does not hold"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", "integers(0, 16777217)")), HasSubstr("at most 2^24"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", "integers(0, rows * 16777217)")),
              HasSubstr("beyond 2^24"));
  EXPECT_THAT(parse_init("integers(0, 16777217)").error().message, HasSubstr("at most 2^24"));
}

TEST(InitForms, NumbersOfAChoiceMustFitTheType) {
  EXPECT_THAT(init_of(with_input("int8_t", "[rows]", "choice(-1, 1)")).choices, ElementsAre(-1, 1));
  EXPECT_THAT(error_of(with_input("uint8_t", "[rows]", "choice(-1, 1)")), HasSubstr("uint8_t does not hold"));
  EXPECT_THAT(error_of(with_input("int8_t", "[rows]", "choice(0.5, 1)")), HasSubstr("must be an integer"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", "choice(1, 1)")), HasSubstr("its numbers must differ"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", "choice(1)")), HasSubstr("takes 2 to 8 numbers"));
  EXPECT_EQ(init_of(with_input("bool", "[rows]", "bernoulli(0.5)")).kind, ResolvedInit::Kind::bernoulli);
  EXPECT_THAT(error_of(with_input("bool", "[rows]", "bernoulli(1)")), HasSubstr("must lie between 0 and 1"));
}

TEST(InitForms, StructuresAreOfSquareMatrices) {
  const ResolvedInit init =
      init_of(with_input("[VAR]", "[rows, columns, columns]", "triangular(normal(0, 1), upper)"));
  EXPECT_EQ(init.structure, Init::Structure::upper);
  EXPECT_EQ(init.columns, 3);
  EXPECT_EQ(init.kind, ResolvedInit::Kind::normal);
  EXPECT_EQ(init_of(with_input("[VAR]", "[rows, rows]", "symmetric(adjacency(0.5, -1))")).second, -1);
  for (const char* const form : {"symmetric(normal(0, 1))", "adjacency(0.5, 0)"}) {
    EXPECT_THAT(error_of(with_input("[VAR]", "[rows, columns]", form)), HasSubstr("is for square matrices"))
        << form;
    EXPECT_THAT(error_of(with_input("[VAR]", "[rows]", form)), HasSubstr("is for square matrices")) << form;
  }
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows, rows]", "triangular(normal(0, 1))")),
              HasSubstr("takes a distribution and upper or lower"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows, rows]", "symmetric(triangular(ones, upper))")),
              HasSubstr("is of a distribution alone"));
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows, rows]", "symmetric(gamma(1, 2))")),
              HasSubstr("names no distribution"));
}

TEST(InitForms, NestedStructuresAreRefusedHoweverDeep) {
  std::string deep = "normal(0, 1)";
  for (int i = 0; i < 10000; ++i) deep = "symmetric(" + deep + ")";
  EXPECT_THAT(error_of(with_input("[VAR]", "[rows, rows]", deep)), HasSubstr("is of a distribution alone"));
}

TEST(InitForms, FractionsAreNoIntegers) {
  for (const char* const form :
       {"uniform_fan_in(rows)", "uniform(0, 1)", "normal(0, 1)", "symmetric(uniform(0, 1))"})
    EXPECT_THAT(error_of(with_input("int", "[rows, rows]", form)), HasSubstr("draws no integers")) << form;
}

TEST(InitForms, ValuesAreATensorOfExtents) {
  const auto bound = tiny(with_input("size_t", "values(rows, columns, rows * 16777217)", ""));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  EXPECT_THAT(bound->tensors[0].shape, ElementsAre(3));
  EXPECT_THAT(bound->tensors[0].init.choices, ElementsAre(2, 3, 33554434));
  EXPECT_TRUE(bound->tensors[0].is_listed());
  EXPECT_THAT(error_of(with_input("int8_t", "values(rows, 64 * rows)", "")),
              HasSubstr("is 128, which int8_t does not"));
  EXPECT_THAT(error_of(with_input("[VAR]", "values(rows)", "")), HasSubstr("is no input of an integer type"));
  EXPECT_THAT(error_of(with_input("int", "values(rows", "")),
              HasSubstr("'shape' of parameter 'input' is 'values(rows'"));
  EXPECT_THAT(error_of(with_input("int", "value(rows)", "")),
              HasSubstr("'shape' of parameter 'input' is 'value(rows)'"));
  EXPECT_THAT(error_of(with_input("int", "values()", "")), HasSubstr("takes 1 to 8 integer expressions"));
  EXPECT_THAT(error_of(with_input("int", "values(rows)", "ones")), HasSubstr("has values as its 'shape'"));
  EXPECT_THAT(error_of(with_input("int", "values(row)", "")), HasSubstr("unknown name 'row'"));
}

}  // namespace init_forms_test
}  // namespace kgrade::test
