// Cases with everything evaluated.
#include "problem/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "problem/other_inputs.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace case_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Case resolved(const Problem& problem, std::string_view name) {
  const CaseSpec* spec = problem.find_case(name);
  if (spec == nullptr) {
    ADD_FAILURE() << "no case " << name;
    return {};
  }
  const auto result = resolve_case(problem, *spec);
  if (result) return *result;
  ADD_FAILURE() << to_string(result.errors());
  return {};
}

Problem conv_transpose() {
  const auto problem = load_problem(data_folder() / "gradable/conv-transpose-2d.md");
  if (problem) return *problem;
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

TEST(ResolveCase, ConvTransposeExtentsAreThoseOfTheFormula) {
  const Case worked = resolved(conv_transpose(), "worked-example");
  ASSERT_EQ(worked.tensors.size(), 4U);
  EXPECT_THAT(worked.tensors[3].shape, ElementsAre(1, 1, 3, 3));
  EXPECT_EQ(worked.tensors[3].elements, 9);
  EXPECT_TRUE(worked.tensors[3].output);
  EXPECT_EQ(worked.tensors[3].parameter, 3U);
  // (5 - 1) * 2 - 2 + 2 * (3 - 1) + 1 + 1 and (7 - 1) * 2 - 2 + 0 + 1 + 1
  const Case strided = resolved(conv_transpose(), "strided-grouped");
  EXPECT_THAT(strided.tensors[3].shape, ElementsAre(2, 6, 12, 12));
  EXPECT_THAT(strided.tensors[1].shape, ElementsAre(4, 3, 3, 1));
  EXPECT_EQ(strided.integers.at("out_height"), 12);
  EXPECT_EQ(strided.reals.at("scale"), 0.5);
}

TEST(ResolveCase, CostsAreEvaluated) {
  const Case large = resolved(conv_transpose(), "large");
  EXPECT_EQ(large.role, CaseRole::bench);
  EXPECT_EQ(large.flops, std::int64_t{2} * 16 * 32 * 64 * 128 * 256 * 3 * 7);
  EXPECT_EQ(large.bytes, std::int64_t{4} * 16 * (32 * 128 * 256 + 64 * 130 * 262));
  const std::int64_t elements = 16 * 32 * 128 * 256 + 32 * 64 * 3 * 7 + 64 + 16 * 64 * 130 * 262;
  EXPECT_EQ(large.tensor_bytes(4), 4 * elements);
  const Case plain = resolved(parsed(row_sum), "tiny");
  EXPECT_EQ(plain.bytes, std::nullopt);
}

TEST(ResolveCase, FanInBecomesAUniformDistribution) {
  const Case strided = resolved(conv_transpose(), "strided-grouped");
  const ResolvedInit& init = strided.tensors[1].init;
  EXPECT_EQ(init.kind, ResolvedInit::Kind::uniform);
  EXPECT_DOUBLE_EQ(init.first, -1 / std::sqrt(9.0));
  EXPECT_DOUBLE_EQ(init.second, 1 / std::sqrt(9.0));
  EXPECT_EQ(strided.tensors[2].init.kind, ResolvedInit::Kind::normal);
  EXPECT_EQ(strided.tensors[2].init.second, 0.5);
}

// PyTorch's Conv2d: floor((in + 2 p - d (k - 1) - 1) / s) + 1, where the numerator may be negative.
TEST(ResolveCase, ConvolutionExtentsRoundDown) {
  const std::string text = edited(row_sum, "half: rows / 2", "half: (rows - 4) / 3 + 1");
  const auto half_for = [&](std::string_view rows) {
    const Problem problem = parsed(edited(text, "rows: 64", "rows: " + std::string(rows)));
    return resolved(problem, "large").integers.at("half");
  };
  EXPECT_EQ(half_for("4"), 1);
  EXPECT_EQ(half_for("6"), 1);
  EXPECT_EQ(half_for("7"), 2);
  EXPECT_EQ(half_for("3"), 0);  // C++ would say 1
}

TEST(ResolveCase, ACaseMayDrawAnInputInAWayOfItsOwn) {
  const Problem problem = parsed(edited(row_sum, "rows: 2,", "rows: 2, input: \"normal(100, 2)\","));
  const Case own = resolved(problem, "tiny");
  EXPECT_EQ(own.tensors[0].init.kind, ResolvedInit::Kind::normal);
  EXPECT_EQ(own.tensors[0].init.first, 100);
  EXPECT_EQ(scalings_text(own), "input from normal(100, 2)");
  const Case other = resolved(problem, "large");
  EXPECT_EQ(other.tensors[0].init.kind, ResolvedInit::Kind::uniform);
  EXPECT_EQ(scalings_text(other), "");
}

TEST(ResolveCase, ACaseMayDrawADenserGraph) {
  const std::string square = edited(row_sum, "shape: [rows, columns]", "shape: [rows, rows]");
  const std::string graph = edited(square, "init: uniform(0, 1)", "init: \"adjacency(0.2, 0)\"");
  const Problem problem = parsed(edited(graph, "rows: 2,", "rows: 2, input: \"adjacency(0.8, 0)\","));
  EXPECT_EQ(resolved(problem, "tiny").tensors[0].init.kind, ResolvedInit::Kind::adjacency);
  EXPECT_EQ(resolved(problem, "tiny").tensors[0].init.first, 0.8);
  EXPECT_EQ(resolved(problem, "large").tensors[0].init.first, 0.2);
}

TEST(ResolveCase, OtherInputsCountInACaseThatDrawsItsOwn) {
  const auto problem = with_inputs(parsed(edited(row_sum, "rows: 2,", "rows: 2, input: \"normal(100, 2)\",")),
                                   {"input=uniform(-1, 1)"});
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  const Case own = resolved(*problem, "tiny");
  EXPECT_EQ(own.tensors[0].init.kind, ResolvedInit::Kind::uniform);
  EXPECT_EQ(own.tensors[0].init.first, -1);
}

TEST(ResolveCase, ACaseMayHaveTheRuleOfItsSet) {
  const std::string text = edited(
      row_sum, "rows: 2,", "rows: 2, by_set: {absolute: 1e-2, relative: 1e-3, matched: 0.99, largest: 10},");
  EXPECT_EQ(resolved(parsed(text), "tiny").by_set, (SetRule{0.01, 0.001, 0.99, 10}));
  EXPECT_EQ(resolved(parsed(text), "large").by_set, std::nullopt);
  const std::string with_default = edited(text, "cases:", "by_set: {absolute: 0, relative: 1e-2}\ncases:");
  EXPECT_EQ(resolved(parsed(with_default), "tiny").by_set->matched, 0.99) << "its own counts";
  EXPECT_EQ(resolved(parsed(with_default), "large").by_set, (SetRule{0, 0.01}));
  const std::string either = edited(text, "largest: 10", "largest: null, either: true");
  EXPECT_EQ(resolved(parsed(either), "tiny").by_set, (SetRule{0.01, 0.001, 0.99, {}, true}));
  const auto written = parse_written_case("rows=4", parsed(with_default));
  ASSERT_TRUE(written.ok()) << to_string(written.errors());
  EXPECT_EQ(written->by_set->largest, 10) << "of the case whose other values it takes";
}

TEST(SetRule, IsSaidInOneLine) {
  EXPECT_EQ(to_string(SetRule{0.01, 1e-5}), "0.01 / 1e-05");
  EXPECT_EQ(to_string(SetRule{0.01, 1e-5, 1, {}, true}), "0.01 or 1e-05");
  EXPECT_EQ(to_string(SetRule{0.01, 0.01, 0.99, 10}),
            "0.01 / 0.01, 99 % of the elements, none off by more than 10");
}

struct BadCase {
  std::string from;
  std::string to;
  std::string message;
};

class BadCaseTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCaseTest, PointsAtTheCaseAndNamesTheExpression) {
  const Problem problem = parsed(edited(row_sum, GetParam().from, GetParam().to));
  const auto result = resolve_case(problem, *problem.find_case("tiny"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().location.file, "problem.md");
  EXPECT_EQ(result.error().location.line, 27);
  EXPECT_EQ(result.error().location.column, 5);
  EXPECT_THAT(result.error().message, HasSubstr("case 'tiny': "));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
  EXPECT_NE(result.error().remedy, "");
}

INSTANTIATE_TEST_SUITE_P(
    Faults, BadCaseTest,
    ::testing::Values(
        BadCase{"columns: 3", "columns: 0", "`columns > 0` does not hold (columns = 0) (line 25, column 5)"},
        BadCase{"rows: 2,", "rows: 0,", "extent `rows` of 'input' is 0 (rows = 0) (line 10, column 13)"},
        BadCase{"[kept]", "[kept - 5]",
                "extent `kept - 5` of 'output' is -4 (kept = 1) (line 16, column 13)"},
        BadCase{"rows - half", "rows / (columns - 3)",
                "'let' kept: division by zero: 2 / 0 (line 23, column 14)"},
        BadCase{"rows - half", "rows * 9223372036854775807", "overflow: 2 * 9223372036854775807"},
        BadCase{"[kept]", "[1048576, 1048577]", "'output' has more than 2^40 elements"},
        BadCase{"[kept]", "[9223372036854775807, 9223372036854775807]", "more than 2^40 elements"},
        BadCase{"uniform(0, 1)", "uniform_fan_in(rows - 2)", "the fan-in `rows - 2` of 'input' is 0"},
        BadCase{"flops: rows", "flops: -rows", "'flops' is -6"},
        BadCase{"flops: rows", "bytes: 0 - rows\nflops: rows", "'bytes' is -2"},
        BadCase{"[kept]", "[rows / (columns - 3)]", "'shape' of 'output': division by zero"}));

TEST(ResolveCase, TwoToTheFortiethElementIsAllowed) {
  const Problem problem = parsed(edited(row_sum, "[kept]", "[1048576, 1048576]"));
  EXPECT_EQ(resolved(problem, "tiny").tensors[1].elements, std::int64_t{1} << 40);
}

TEST(ResolveCase, EveryRequirementThatFailsIsTold) {
  const Problem problem =
      parsed(edited(row_sum, "  - columns > 0", "  - columns > 3\n  - rows > 2\n  - rows > 0"));
  const auto result = resolve_case(problem, *problem.find_case("tiny"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors().size(), 2U);
}

// A drawn case is in no file: the expression is the place.
TEST(ResolveCase, WithoutAPlaceOfItsOwnPointsAtTheExpression) {
  const Problem problem = parsed(row_sum);
  const CaseSpec drawn{"fuzz-1", CaseRole::test, {{"rows", 2}, {"columns", 0}}, {{"scale", 1.0}}, {}};
  const auto result = resolve_case(problem, drawn);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().location.line, 25);
  EXPECT_EQ(result.error().location.column, 5);
  EXPECT_EQ(result.error().message, "case 'fuzz-1': `columns > 0` does not hold (columns = 0)");
}

TEST(ResolveCase, ATensorWithoutAShapeIsAnError) {
  const Problem problem = parsed(edited(row_sum, "    shape: [kept]\n", ""));
  const auto result = resolve_case(problem, *problem.find_case("tiny"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "parameter 'output' has no shape");
}

TEST(ResolveCase, ConditionsMayBeOnRealValues) {
  const Problem problem = parsed(edited(row_sum, "  - columns > 0", "  - scale > 1.25\n  - scale < columns"));
  EXPECT_TRUE(resolve_case(problem, *problem.find_case("tiny")).ok());
  const auto result = resolve_case(problem, *problem.find_case("large"));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("case 'large': `scale > 1.25` does not hold (scale = 1)"));
}

TEST(ResolveCase, AnOutputMayBeginAsAnInputOfItsShape) {
  const std::string begun =
      edited(edited(row_sum, "    shape: [kept]", "    shape: [kept]\n    begins: old"), "  - name: output",
             "  - {name: old, type: \"[VAR]\", pointer: true, const: true, shape: [kept], init: ones}\n"
             "  - name: output");
  const Problem problem = parsed(begun);
  const auto bound = resolve_case(problem, *problem.find_case("large"));
  ASSERT_TRUE(bound.ok()) << to_string(bound.errors());
  EXPECT_EQ(bound->tensors[2].begins_as, std::optional<std::size_t>(1));
  const Problem other = parsed(edited(begun, "shape: [kept], init", "shape: [rows], init"));
  const auto result = resolve_case(other, *other.find_case("large"));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message,
              HasSubstr("'output' begins as 'old', which has another shape: [64], and not [32]"));
}

}  // namespace case_test
}  // namespace kgrade::test
