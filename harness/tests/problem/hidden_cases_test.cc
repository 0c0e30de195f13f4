// Hidden cases: draws that never change, and how hostile ranges are handled.
#include "problem/hidden_cases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <set>

#include "problem/catalogue.h"
#include "tests/problem/drawn_cases.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace hidden_cases_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A record keeps the seed, so that its hidden cases can be drawn again: these lines must never change.
TEST(HiddenCases, ASeedGivesTheSameCasesForEver) {
  const auto problem = load_problem(data_folder() / "gradable/conv-transpose-2d.md");
  ASSERT_TRUE(problem.ok());
  EXPECT_THAT(lines_of(*problem, drawn(*problem, with_seed(0))),
              ElementsAre("hidden-1: batch_size=1 in_channels=4 out_channels=2 height=1 width=8 kernel_h=2 "
                          "kernel_w=3 stride=2 padding=0 output_padding=0 dilation=1 groups=2 scale=0.5",
                          "hidden-2: batch_size=3 in_channels=4 out_channels=7 height=4 width=4 kernel_h=3 "
                          "kernel_w=2 stride=1 padding=1 output_padding=0 dilation=1 groups=1 scale=0.5",
                          "hidden-3: batch_size=1 in_channels=4 out_channels=4 height=14 width=6 kernel_h=3 "
                          "kernel_w=2 stride=3 padding=0 output_padding=0 dilation=2 groups=2 scale=0.5",
                          "hidden-4: batch_size=1 in_channels=4 out_channels=6 height=13 width=4 kernel_h=1 "
                          "kernel_w=2 stride=2 padding=1 output_padding=0 dilation=1 groups=1 scale=0.5"));
  EXPECT_THAT(lines_of(*problem, drawn(*problem, with_seed(0xfeedc0de12345678U))),
              ElementsAre("hidden-1: batch_size=3 in_channels=4 out_channels=2 height=3 width=1 kernel_h=1 "
                          "kernel_w=1 stride=3 padding=0 output_padding=0 dilation=2 groups=1 scale=0.5",
                          "hidden-2: batch_size=3 in_channels=4 out_channels=3 height=4 width=1 kernel_h=3 "
                          "kernel_w=3 stride=3 padding=0 output_padding=0 dilation=1 groups=1 scale=0.5",
                          "hidden-3: batch_size=3 in_channels=4 out_channels=8 height=3 width=15 kernel_h=2 "
                          "kernel_w=1 stride=1 padding=0 output_padding=0 dilation=1 groups=2 scale=0.5",
                          "hidden-4: batch_size=3 in_channels=4 out_channels=4 height=7 width=4 kernel_h=2 "
                          "kernel_w=2 stride=1 padding=2 output_padding=0 dilation=1 groups=1 scale=0.5"));
}

// row_sum with other ranges.
Problem with_fuzz(std::string_view fuzz) { return parsed(edited(row_sum, "rows: 1..3", fuzz)); }

std::set<std::int64_t> values_of(const std::vector<Case>& cases, const std::string& name) {
  std::set<std::int64_t> values;
  for (const Case& bound : cases) values.insert(bound.integers.at(name));
  return values;
}

TEST(HiddenCases, AProblemWithoutFuzzHasNone) {
  const Problem problem = parsed(edited(row_sum, "fuzz:\n  rows: 1..3\n", ""));
  EXPECT_THAT(drawn(problem, {}), SizeIs(0));
}

TEST(HiddenCases, NoneAreDrawnWhenNoneAreAskedFor) {
  HiddenOptions options;
  options.count = 0;
  EXPECT_THAT(drawn(with_fuzz("rows: 0..0"), options), SizeIs(0));
}

std::set<std::int64_t> rows_drawn(std::string_view fuzz) {
  const Problem problem = with_fuzz(fuzz);
  std::set<std::int64_t> rows;
  HiddenOptions options;
  options.count = 8;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    for (const Case& bound : drawn(problem, options)) rows.insert(bound.integers.at("rows"));
  }
  return rows;
}

// The file has cases of 2 and of 64 rows with as many columns as these.
TEST(HiddenForms, DrawWhatTheyListAndAllOfIt) {
  EXPECT_THAT(rows_drawn("rows: [7, 1, 33, 7]"), ElementsAre(1, 7, 33));
  EXPECT_THAT(rows_drawn("rows: 3..23 step 5"), ElementsAre(3, 8, 13, 18, 23));
  EXPECT_THAT(rows_drawn("rows: powers_of_2(3..40)"), ElementsAre(4, 8, 16, 32));
}

TEST(HiddenForms, DrawBoolsAsCasesWriteThem) {
  std::string text = edited(row_sum, "rows: 1..3", "rows: 1..30\n  flag: [false, true]");
  text = edited(text,
                "dtypes:", "  - {name: flag, type: bool, pointer: false}\ndefaults: {flag: false}\ndtypes:");
  std::set<std::int64_t> flags;
  HiddenOptions options;
  options.count = 8;
  for (const Case& bound : drawn(parsed(text), options)) flags.insert(bound.integers.at("flag"));
  EXPECT_THAT(flags, ElementsAre(0, 1));
  flags.clear();
  for (const Case& bound : drawn(parsed(edited(text, "[false, true]", "true")), options))
    flags.insert(bound.integers.at("flag"));
  EXPECT_THAT(flags, ElementsAre(1));
  const auto wrong = parse_problem(edited(text, "[false, true]", "[false, maybe]"), "problem.md");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "'fuzz' of 'flag' lists 'maybe', which is no bool");
  EXPECT_EQ(wrong.error().remedy, "write true, false or [false, true]");
}

// A tensor that keeps its type.
TEST(HiddenForms, ScaleInputsOfTypesWithTheExponentsOfAFloat) {
  const auto of_type = [](std::string_view type) {
    const std::string text = edited(row_sum, "rows: 1..3", "rows: 1..97\n  input: scale(2^-3..2^9)");
    return parse_problem(edited(text, "type: \"[VAR]\"", fmt::format("type: {}", type)), "problem.md");
  };
  for (const char* type : {"float", "double", "__nv_bfloat16"}) {
    const auto problem = of_type(type);
    ASSERT_TRUE(problem) << to_string(problem.errors());
    HiddenOptions options;
    options.count = 8;
    const std::vector<Case> cases = drawn(*problem, options);
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [](const Case& bound) {
      return bound.tensors[0].init.scaling.exponent != 0;
    })) << type;
  }
  EXPECT_EQ(of_type("__half").error().message,
            "'fuzz' of 'input' scales elements of __half, which has too few exponents");
  const std::string integers = edited(row_sum, "rows: 1..3", "rows: 1..97\n  input: scale(2^-3..2^9)");
  EXPECT_EQ(parse_problem(
                edited(edited(integers, "type: \"[VAR]\"", "type: int"), "uniform(0, 1)", "integers(0, 9)"),
                "problem.md")
                .error()
                .message,
            "'fuzz' of 'input' scales integers (int)");
}

TEST(HiddenForms, DrawRealsWithinTheirRange) {
  std::set<double> scales;
  HiddenOptions options;
  options.count = 8;
  for (const Case& bound : drawn(with_fuzz("scale: -0.5..2"), options))
    scales.insert(bound.reals.at("scale"));
  EXPECT_EQ(scales.size(), 8U);
  EXPECT_GE(*scales.begin(), -0.5);
  EXPECT_LE(*scales.rbegin(), 2);
  for (const double scale : scales) EXPECT_EQ(scale, static_cast<double>(static_cast<float>(scale)));
  scales.clear();
  for (const Case& bound : drawn(with_fuzz("scale: [0.25, 4]\n  rows: 1..30"), options))
    scales.insert(bound.reals.at("scale"));
  EXPECT_THAT(scales, ElementsAre(0.25, 4));
}

// `tiny` has two rows of three columns, and `fuzz` does not mention columns.
TEST(HiddenCases, ThereAreFewerWhenTheRangesHoldFewer) {
  const std::vector<Case> cases = drawn(parsed(row_sum), {});
  EXPECT_THAT(cases, SizeIs(2));
  EXPECT_THAT(values_of(cases, "rows"), ElementsAre(1, 3));
  EXPECT_THAT(values_of(cases, "columns"), ElementsAre(3));
  const std::vector<Case> single = drawn(with_fuzz("rows: 5"), {});
  EXPECT_THAT(single, SizeIs(1));
  EXPECT_THAT(values_of(single, "rows"), ElementsAre(5));
}

// The exponents and spreads of row_sum's input in the first eight hidden cases of many seeds.
std::vector<std::vector<Scaling>> scalings_drawn(const Problem& problem) {
  std::vector<std::vector<Scaling>> all;
  HiddenOptions options;
  options.count = 8;
  for (options.seed = 0; options.seed < 40; ++options.seed) {
    all.emplace_back();
    for (const Case& bound : drawn(problem, options)) all.back().push_back(bound.tensors[0].init.scaling);
  }
  return all;
}

TEST(HiddenScales, EverySecondCaseIsScaledAndEveryFourthByBlocks) {
  const Problem problem = with_fuzz("rows: 1..97\n  input: scale(2^-3..2^9)");
  std::set<int> ends;
  std::set<int> exponents;
  for (const std::vector<Scaling>& scalings : scalings_drawn(problem)) {
    ASSERT_THAT(scalings, SizeIs(8));
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(scalings[i].spread, i % 4 == 3 ? 4 : 0) << i;
      if (i % 2 == 0) {
        EXPECT_EQ(scalings[i].exponent, 0) << i;
      }
      if (i % 4 == 1) ends.insert(scalings[i].exponent);
      if (i % 4 == 3) exponents.insert(scalings[i].exponent);
    }
  }
  EXPECT_EQ(ends, (std::set<int>{-3, 9}));
  EXPECT_GT(exponents.size(), 9U);
  EXPECT_GE(*exponents.begin(), -3);
  EXPECT_LE(*exponents.rbegin(), 9);
}

TEST(HiddenScales, ShapesAreThoseOfTheSameRangesWithoutScales) {
  const Problem scaled = with_fuzz("rows: 1..97\n  input: scale(2^-3..2^9)");
  const Problem plain = with_fuzz("rows: 1..97");
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(lines_of(scaled, drawn(scaled, with_seed(seed))),
              lines_of(plain, drawn(plain, with_seed(seed))));
}

TEST(HiddenScales, HalvesAreNotScaled) {
  Problem problem = parsed(edited(edited(row_sum, "rows: 1..3", "rows: 1..97\n  input: scale(2^-3..2^9)"),
                                  "dtypes: [float32]", "dtypes: [float32, float16, bfloat16]"));
  const auto is_scaled = [](const Problem& of) {
    bool any = false;
    for (const auto& scalings : scalings_drawn(of)) {
      for (const Scaling& scaling : scalings) any = any || scaling.exponent != 0 || scaling.spread != 0;
    }
    return any;
  };
  EXPECT_FALSE(is_scaled(*with_dtype(problem, "float16")));
  EXPECT_TRUE(is_scaled(*with_dtype(problem, "bfloat16")));
}

TEST(HiddenScales, AnInputMayFollowTheProductOfOthers) {
  constexpr std::string_view bias =
      R"(  - {name: weights, type: "[VAR]", pointer: true, const: true, shape: [rows], init: ones}
  - {name: bias, type: "[VAR]", pointer: true, const: true, shape: [rows], init: ones}
  - name: output)";
  const Problem problem = parsed(edited(edited(row_sum, "  - name: output", bias), "rows: 1..3",
                                        "rows: 1..97\n  bias: scale(input * weights)\n"
                                        "  input: scale(2^-9..2^9)\n  weights: scale(2^5..2^6)"));
  HiddenOptions options;
  options.count = 8;
  for (options.seed = 0; options.seed < 10; ++options.seed) {
    for (const Case& bound : drawn(problem, options)) {
      const auto scaling = [&](std::size_t tensor) { return bound.tensors[tensor].init.scaling; };
      EXPECT_EQ(scaling(2).exponent, scaling(0).exponent + scaling(1).exponent);
      EXPECT_EQ(scaling(2).spread, 0);
    }
  }
  EXPECT_EQ(scalings_text(drawn(problem, with_seed(1))[0]), "");
  EXPECT_THAT(scalings_text(drawn(problem, with_seed(1))[1]), HasSubstr("bias times 2^"));
}

// The output has one element for two rows: half of the draws from these ranges have fewer than 32.
TEST(HiddenCases, OutputsOfFewElementsAreDrawnAgain) {
  const Problem problem = with_fuzz("rows: 1..128");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Case& bound : drawn(problem, with_seed(seed))) EXPECT_GE(bound.integers.at("rows"), 63);
  }
}

TEST(HiddenCases, OutputsOfFewElementsAreTakenWhereThereAreNoOthers) {
  const Problem problem = with_fuzz("rows: 5..29");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Case> cases = drawn(problem, with_seed(seed));
    ASSERT_THAT(cases, SizeIs(4));
    EXPECT_THAT(cases[0].integers.at("rows"), ::testing::AnyOf(5, 29)) << "it leans to the ends all the same";
    EXPECT_GE(cases[3].integers.at("rows"), 17) << "and this one to large values";
    EXPECT_THAT(values_of(cases, "rows"), SizeIs(4)) << "and none has the shapes of another";
  }
}

// Like a loss: no case of the file has more elements either.
TEST(HiddenCases, AnOutputThatIsAlwaysSmallRefusesNothing) {
  const Problem problem = parsed(edited(edited(row_sum, "[kept]", "[1]"), "rows: 1..3", "rows: 1..64"));
  std::set<std::int64_t> rows;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    rows.merge(values_of(drawn(problem, with_seed(seed)), "rows"));
  EXPECT_LT(*rows.begin(), 8);
  EXPECT_GT(*rows.rbegin(), 56);
}

// No range changes an extent, so only the other values can differ.
TEST(HiddenCases, KnownShapesAreTakenWhereThereAreNoOthers) {
  const std::string text = edited(edited(row_sum, "[rows, columns]", "[5]"), "[kept]", "[7]");
  const std::vector<Case> cases = drawn(parsed(edited(text, "rows: 1..3", "rows: 1..30")), {});
  EXPECT_THAT(cases, SizeIs(4));
  EXPECT_THAT(values_of(cases, "rows"), SizeIs(4));
}

TEST(HiddenCases, WhatFuzzLeavesOutComesFromOneTestCase) {
  const Problem problem = parsed(
      edited(row_sum, "cases:\n", "cases:\n  - {name: other, role: test, rows: 2, columns: 9, scale: 4}\n"));
  std::set<std::pair<std::int64_t, double>> pairs;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Case& bound : drawn(problem, with_seed(seed))) {
      pairs.emplace(bound.integers.at("columns"), bound.reals.at("scale"));
    }
  }
  EXPECT_THAT(pairs, ElementsAre(::testing::Pair(3, 1.5), ::testing::Pair(9, 4.0)));
}

TEST(HiddenCases, NamesOfTheFileAreLeftOut) {
  std::string text = edited(row_sum, "name: tiny", "name: hidden-1");
  text = edited(text, "name: large", "name: hidden-3");
  const std::vector<Case> cases = drawn(parsed(edited(text, "rows: 1..3", "rows: 1..30")), {});
  ASSERT_THAT(cases, SizeIs(4));
  EXPECT_EQ(cases[0].name, "hidden-2");
  EXPECT_EQ(cases[1].name, "hidden-4");
  EXPECT_EQ(cases[3].name, "hidden-6");
}

TEST(HiddenCases, HugeRangesGiveCasesWithinTheLimits) {
  for (const std::string_view fuzz :
       {"rows: 1..4611686018427387904\n  columns: 1..2147483647", "rows: 0..9223372036854775807",
        "rows: 1..1099511627776\n  columns: -2147483648..2147483647"}) {
    const Problem problem = with_fuzz(fuzz);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<Case> cases = drawn(problem, with_seed(seed));
      EXPECT_THAT(cases, SizeIs(4)) << fuzz;
      for (const Case& bound : cases) EXPECT_LE(bound.tensor_bytes(4), 64 << 10) << fuzz;
    }
  }
}

TEST(HiddenCases, TheRangeOfAllIntegersIsDrawnFrom) {
  const Problem problem = parsed(edited(edited(row_sum, "type: int,", "type: long,"), "rows: 1..3",
                                        "columns: -9223372036854775808..9223372036854775807"));
  const std::vector<Case> cases = drawn(problem, {});
  EXPECT_THAT(cases, SizeIs(4));
  for (const Case& bound : cases) EXPECT_GT(bound.integers.at("columns"), 0);
}

TEST(HiddenCases, EqualValuesAreFoundInWideRanges) {
  const Problem problem = parsed(edited(edited(row_sum, "columns > 0", "columns == rows && columns > 16"),
                                        "rows: 1..3", "rows: 1..5000\n  columns: 1..5000"));
  const std::vector<Case> cases = drawn(problem, {});
  EXPECT_THAT(cases, SizeIs(4));
  for (const Case& bound : cases) EXPECT_EQ(bound.integers.at("columns"), bound.integers.at("rows"));
}

// row_sum with ranges for three parameters and a section whose cases satisfy `condition`.
Problem with_module(std::string_view condition) {
  const std::string ranged = edited(row_sum, "rows: 1..3", "rows: 1..5000\n  columns: 3..5000");
  return parsed(
      edited(ranged, "precision:",
             "torch: {init: {}, forward: [input], require: [" + std::string(condition) + "]}\nprecision:"));
}

std::vector<Case> drawn_for_module(const Problem& problem) {
  HiddenOptions options;
  options.for_module = true;
  return drawn(problem, options);
}

TEST(HiddenCases, ForAModuleEqualValuesAreMadeEqual) {
  const std::vector<Case> cases = drawn_for_module(with_module("rows == columns && rows > 50"));
  ASSERT_THAT(cases, SizeIs(4));
  for (const Case& bound : cases) EXPECT_EQ(bound.integers.at("columns"), bound.integers.at("rows"));
}

TEST(HiddenCases, ForAModuleANumberNeedNotLieInItsRange) {
  for (const Case& bound : drawn_for_module(with_module("columns == 2")))
    EXPECT_EQ(bound.integers.at("columns"), 2);
}

TEST(HiddenCases, ForAModuleAValueStaysWithinItsType) {
  const Problem problem = with_module("columns == 4000000000");
  HiddenOptions options;
  options.for_module = true;
  const auto cases = draw_hidden_cases(problem, options);
  ASSERT_FALSE(cases.ok());
  EXPECT_THAT(cases.error().message, HasSubstr("a module cannot state it"));
}

TEST(HiddenCases, OtherConditionsOfAModuleAreDrawnFor) {
  for (const Case& bound : drawn_for_module(with_module("rows % 3 == 1")))
    EXPECT_EQ(bound.integers.at("rows") % 3, 1);
}

TEST(HiddenCases, ConditionsOfAModuleLeaveOtherDrawsAlone) {
  const Problem problem = with_module("rows == columns");
  const Problem plain = parsed(edited(row_sum, "rows: 1..3", "rows: 1..5000\n  columns: 3..5000"));
  EXPECT_EQ(lines_of(problem, drawn(problem, {})), lines_of(plain, drawn(plain, {})));
}

struct Hopeless {
  std::string fuzz;
  std::string from;  // another edit of row_sum
  std::string to;
  std::string reason;
};

void PrintTo(const Hopeless& ranges, std::ostream* stream) {
  *stream << ranges.fuzz << ": " << ranges.reason;
}

class HopelessRangesTest : public ::testing::TestWithParam<Hopeless> {};

TEST_P(HopelessRangesTest, AreAnErrorAtFuzzThatNamesTheReason) {
  const Problem problem =
      parsed(edited(edited(row_sum, "rows: 1..3", GetParam().fuzz), GetParam().from, GetParam().to));
  const auto cases = draw_hidden_cases(problem, {});
  ASSERT_FALSE(cases.ok());
  ASSERT_EQ(cases.errors().size(), 1U);
  EXPECT_EQ(cases.error().location.file, "problem.md");
  EXPECT_EQ(cases.error().location.line, 30);
  EXPECT_EQ(cases.error().location.column, 3);
  EXPECT_THAT(cases.error().message, HasSubstr("no hidden case could be drawn from the ranges of 'fuzz'"));
  EXPECT_THAT(cases.error().message, HasSubstr(GetParam().reason));
  EXPECT_NE(cases.error().remedy, "");
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, HopelessRangesTest,
    ::testing::Values(
        Hopeless{"rows: 0..0", "", "", "extent `rows` of 'input' is 0 (rows = 0) (line 10, column 13)"},
        Hopeless{"columns: -5..-1", "", "", "`columns > 0` does not hold"},
        Hopeless{"rows: 1..9", "columns > 0", "rows < rows", "`rows < rows` does not hold"},
        Hopeless{"rows: 2", "", "", "the values are those of a case in the file"},
        Hopeless{"rows: 9000000000000000000..9223372036854775807", "", "", "more than 2^40 elements"},
        Hopeless{"rows: 100000..200000", "", "", "the tensors would take more than 65536 bytes"},
        Hopeless{"rows: 5..9", "rows * columns", "rows * 1000000007", "more than 4000000028 operations"},
        Hopeless{"rows: 1..9", "rows * columns", "rows * 9223372036854775807 * 2", "overflow"},
        Hopeless{"rows: 1..9", "rows / 2", "rows / (rows - rows)", "division by zero"}));

TEST(HiddenCases, WithoutAnyCaseFuzzMustGiveAllValues) {
  std::string text(row_sum);
  text.erase(text.find("cases:"), text.find("fuzz:") - text.find("cases:"));
  const auto incomplete = draw_hidden_cases(parsed(text), {});
  ASSERT_FALSE(incomplete.ok());
  EXPECT_EQ(incomplete.error().message, "'fuzz' leaves out 'columns', and no case gives it a value");
  EXPECT_EQ(incomplete.error().location.line, 27);
  text = edited(text, "rows: 1..3", "rows: 1..3\n  columns: 2..3");
  text = edited(text, "  - {name: scale, type: float, pointer: false}\n", "");
  EXPECT_THAT(drawn(parsed(text), {}), SizeIs(4));
}

TEST(HiddenLimits, AreTwiceTheLargestTestCase) {
  const Problem problem = parsed(edited(row_sum, "rows: 2, columns: 3", "rows: 20000, columns: 1000"));
  EXPECT_EQ(hidden_limits(problem, {}).bytes, 2 * 4 * (20'000 * 1'000 + 10'000));
  EXPECT_EQ(hidden_limits(problem, {}).flops, 2 * 20'000 * 1'000);
  HiddenOptions options;
  options.element_size = 2;
  EXPECT_EQ(hidden_limits(problem, options).bytes, 2 * 2 * (20'000 * 1'000 + 10'000));
}

TEST(HiddenLimits, LeaveRoomWhereTestCasesAreTiny) {
  EXPECT_EQ(hidden_limits(parsed(row_sum), {}).bytes, 64 << 10);
  EXPECT_EQ(hidden_limits(parsed(row_sum), {}).flops, 1'000'000);
}

TEST(HiddenLimits, DoNotOverflow) {
  const Problem problem = parsed(edited(row_sum, "rows * columns", "9223372036854775807"));
  EXPECT_EQ(hidden_limits(problem, {}).flops, std::numeric_limits<std::int64_t>::max());
}

TEST(HiddenLimits, CanBeChosen) {
  HiddenOptions options;
  options.most_bytes = 4 * (3 + 1);  // one row
  EXPECT_THAT(values_of(drawn(parsed(row_sum), options), "rows"), ElementsAre(1));
  options.most_bytes = 3;
  EXPECT_THAT(draw_hidden_cases(parsed(row_sum), options).error().message, HasSubstr("more than 3 bytes"));
  options = {};
  options.most_flops = 8;
  EXPECT_THAT(values_of(drawn(parsed(row_sum), options), "rows"), ElementsAre(1));
}

}  // namespace hidden_cases_test
}  // namespace kgrade::test
