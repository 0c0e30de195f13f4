// The arithmetic, grammar and messages of expressions.
#include "problem/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>

namespace kgrade {
namespace expression_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

const Bindings& bindings() {
  static const Bindings values = {{"a", 7},        {"b", -2},       {"zero", 0},
                                  {"height", 128}, {"low", lowest}, {"high", highest}};
  return values;
}

struct Evaluation {
  std::string text;
  std::int64_t value;
};

void PrintTo(const Evaluation& evaluation, std::ostream* stream) { *stream << evaluation.text; }

class EvaluationTest : public ::testing::TestWithParam<Evaluation> {};

TEST_P(EvaluationTest, IsExact) {
  const auto expression = Expression::parse(GetParam().text, {"f", 1, 1});
  ASSERT_TRUE(expression.ok()) << to_string(expression.errors());
  const auto value = expression->evaluate(bindings());
  ASSERT_TRUE(value.ok()) << to_string(value.errors());
  EXPECT_EQ(*value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, EvaluationTest,
    ::testing::Values(Evaluation{"1 + 2 * 3", 7}, Evaluation{"(1 + 2) * 3", 9}, Evaluation{"10 - 4 - 3", 3},
                      Evaluation{"100 / 5 / 2", 10}, Evaluation{"100 / (5 / 2)", 50},
                      Evaluation{"2 * 7 % 4", 2}, Evaluation{"-a", -7}, Evaluation{"--a", 7},
                      Evaluation{"-a * b", 14}, Evaluation{"2 - -3", 5}, Evaluation{"a*b", -14},
                      Evaluation{"\t1\n+\n2 ", 3}, Evaluation{"9223372036854775807", highest},
                      Evaluation{"-9223372036854775807 - 1", lowest}, Evaluation{"high + low", -1},
                      Evaluation{"low * 1", lowest}, Evaluation{"007", 7}));

// Floor division: the quotient goes towards minus infinity, the remainder has the sign of the divisor.
INSTANTIATE_TEST_SUITE_P(FloorDivision, EvaluationTest,
                         ::testing::Values(Evaluation{"7 / 2", 3}, Evaluation{"-7 / 2", -4},
                                           Evaluation{"7 / -2", -4}, Evaluation{"-7 / -2", 3},
                                           Evaluation{"-8 / 2", -4}, Evaluation{"7 % 2", 1},
                                           Evaluation{"-7 % 2", 1}, Evaluation{"7 % -2", -1},
                                           Evaluation{"-7 % -2", -1}, Evaluation{"-8 % 2", 0},
                                           Evaluation{"low % -1", 0}, Evaluation{"high % -1", 0},
                                           Evaluation{"low / 1", lowest}, Evaluation{"low / 2 * 2", lowest},
                                           Evaluation{"(0 - 3) / 2 + 1", -1}));

INSTANTIATE_TEST_SUITE_P(Functions, EvaluationTest,
                         ::testing::Values(Evaluation{"min(3, 1, 2)", 1}, Evaluation{"max(3, 1, 2)", 3},
                                           Evaluation{"min(a, b)", -2}, Evaluation{"ceil_div(7, 2)", 4},
                                           Evaluation{"log2(1)", 0}, Evaluation{"log2(8)", 3},
                                           Evaluation{"log2(9)", 4},
                                           Evaluation{"log2(9223372036854775807)", 63},
                                           Evaluation{"ceil_div(8, 2)", 4}, Evaluation{"ceil_div(-7, 2)", -3},
                                           Evaluation{"ceil_div(7, -2)", -3},
                                           Evaluation{"ceil_div(low, 2)", lowest / 2},
                                           Evaluation{"max(min(a, 3), max(b, 0)) * 2", 6}));

INSTANTIATE_TEST_SUITE_P(Logic, EvaluationTest,
                         ::testing::Values(Evaluation{"a == 7", 1}, Evaluation{"a != 7", 0},
                                           Evaluation{"a < 7", 0}, Evaluation{"a <= 7", 1},
                                           Evaluation{"a > 6", 1}, Evaluation{"a >= 8", 0},
                                           Evaluation{"!a", 0}, Evaluation{"!zero", 1}, Evaluation{"!!a", 1},
                                           Evaluation{"1 + 1 == 2", 1}, Evaluation{"5 && -3", 1},
                                           Evaluation{"zero || 9", 1}, Evaluation{"1 || 0 && 0", 1},
                                           Evaluation{"(1 || 0) && 0", 0}, Evaluation{"!zero && zero", 0},
                                           Evaluation{"a > 0 && b > 0 || a == 7", 1},
                                           Evaluation{"(a < 9) == 1", 1}));

// Operands after the decisive one are not evaluated, even if they could not be.
INSTANTIATE_TEST_SUITE_P(ShortCircuit, EvaluationTest,
                         ::testing::Values(Evaluation{"zero && 1 / zero", 0}, Evaluation{"a || 1 / zero", 1},
                                           Evaluation{"zero != 0 && a % zero == 0", 0},
                                           Evaluation{"0 && high + 1 || 1", 1}));

struct Failure {
  std::string text;
  int column;
  std::string message;
  std::string remedy;
};

void PrintTo(const Failure& failure, std::ostream* stream) { *stream << failure.text; }

class EvaluationFailureTest : public ::testing::TestWithParam<Failure> {};

TEST_P(EvaluationFailureTest, PointsAtTheOperator) {
  const auto expression = Expression::parse(GetParam().text, {"f", 3, 11});
  ASSERT_TRUE(expression.ok()) << to_string(expression.errors());
  const auto value = expression->evaluate(bindings());
  ASSERT_FALSE(value.ok()) << *value;
  EXPECT_EQ(value.error().location.file, "f");
  EXPECT_EQ(value.error().location.line, 3);
  EXPECT_EQ(value.error().location.column, GetParam().column);
  EXPECT_THAT(value.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(value.error().remedy, HasSubstr(GetParam().remedy));
}

INSTANTIATE_TEST_SUITE_P(
    Overflow, EvaluationFailureTest,
    ::testing::Values(Failure{"high + 1", 16, "overflow: 9223372036854775807 + 1", "smaller"},
                      Failure{"low - 1", 15, "overflow: -9223372036854775808 - 1", ""},
                      Failure{"high * 2", 16, "overflow", ""}, Failure{"low * -1", 15, "overflow", ""},
                      Failure{"-low", 11, "overflow: -(-9223372036854775808)", ""},
                      Failure{"low / -1", 15, "overflow: -9223372036854775808 / -1", ""},
                      Failure{"ceil_div(low, -1)", 11, "overflow", ""},
                      Failure{"1 && high + 1", 21, "overflow", ""}));

INSTANTIATE_TEST_SUITE_P(DivisionByZero, EvaluationFailureTest,
                         ::testing::Values(Failure{"a / zero", 13, "division by zero: 7 / 0", "divisor"},
                                           Failure{"a % zero", 13, "division by zero: 7 % 0", ""},
                                           Failure{"log2(a - 7)", 11, "log2(0) does not exist", ""},
                                           Failure{"1 + ceil_div(a, 0)", 15,
                                                   "division by zero: ceil_div(7, 0)", ""},
                                           Failure{"a * (a / (a - 7))", 18, "division by zero", ""}));

INSTANTIATE_TEST_SUITE_P(
    Names, EvaluationFailureTest,
    ::testing::Values(Failure{"1 + heigth", 15, "unknown name 'heigth'", "did you mean 'height'?"},
                      Failure{"min(a, nothing_like_it)", 18, "unknown name", "known here: a, b"}));

class SyntaxTest : public ::testing::TestWithParam<Failure> {};

TEST_P(SyntaxTest, PointsAtTheColumn) {
  const auto expression = Expression::parse(GetParam().text, {"f", 3, 11});
  ASSERT_FALSE(expression.ok());
  EXPECT_EQ(expression.error().location.line, 3);
  EXPECT_EQ(expression.error().location.column, GetParam().column) << expression.error().message;
  EXPECT_THAT(expression.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(expression.error().remedy, HasSubstr(GetParam().remedy));
  EXPECT_NE(expression.error().remedy, "");
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, SyntaxTest,
    ::testing::Values(
        Failure{"", 11, "empty", ""}, Failure{"  ", 11, "empty", ""},
        Failure{"1 +", 14, "ends too early", ""}, Failure{"1 2", 13, "'2' is not expected", "operator"},
        Failure{"a b", 13, "'b' is not", "operator"}, Failure{"* 2", 11, "'*' is not expected", ""},
        Failure{"(1", 11, "not closed", ")"}, Failure{"1)", 12, "')' is not expected", "remove it"},
        Failure{"()", 12, "')' is not", ""}, Failure{"min()", 15, "')' is not expected", ""},
        Failure{"min(1)", 11, "1 argument", "min(a, b)"},
        Failure{"ceil_div(1, 2, 3)", 11, "3 arguments", "ceil_div(a, b)"},
        Failure{"min(1, 2", 14, "not closed", "quotes"}, Failure{"min(1, 2]", 19, "']' cannot stand", ""},
        Failure{"pow(2, 3)", 11, "no function 'pow'", "functions are min"},
        Failure{"a, b", 12, "',' is not expected", ""}, Failure{"a = b", 13, "'='", "write =="},
        Failure{"a & b", 13, "'&'", "&&"}, Failure{"a | b", 13, "'|'", "||"},
        Failure{"a // b", 13, "'//'", "rounds down already"}, Failure{"a ^ 2", 13, "'^'", "multiply"},
        Failure{"a == b == 1", 18, "do not chain", "a < b && b < c"},
        Failure{"a ? b : 1", 13, "'?'", "min, max"}, Failure{"1e3", 11, "'1e3' is no integer", "decimal"},
        Failure{"0x10", 11, "'0x10' is no integer", "decimal"}, Failure{"2.5", 11, "'2.5'", "decimal"},
        Failure{"9223372036854775808", 11, "does not fit into 64 bits", "at most"},
        Failure{"a + \xc3\xa4", 15, "'\xc3\xa4' cannot stand", "use integers"},
        Failure{"a.b", 12, "'.'", "letters"}));

TEST(Expression, NamesAreGivenOnceInOrderOfAppearance) {
  const auto expression = Expression::parse("b + max(a, b, c) * a", {"f", 1, 1});
  ASSERT_TRUE(expression.ok());
  EXPECT_THAT(expression->names(), ElementsAre("b", "a", "c"));
}

TEST(Expression, NameUsesHaveTheirPlaces) {
  const auto expression = Expression::parse("b +\n  b", {"f", 5, 9});
  ASSERT_TRUE(expression.ok());
  const auto uses = expression->name_uses();
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].location.line, 5);
  EXPECT_EQ(uses[0].location.column, 9);
  EXPECT_EQ(uses[1].location.line, 6);
  EXPECT_EQ(uses[1].location.column, 3);
}

TEST(Expression, TextIsWithoutSpaceAroundIt) {
  const auto expression = Expression::parse("  a\n+ 1 ", {"f", 5, 9});
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->text(), "a + 1");
  EXPECT_EQ(expression->location().column, 11);
}

std::vector<std::string> equalities_of(std::string_view text) {
  std::vector<std::string> texts;
  const auto expression = Expression::parse(text, {"f", 1, 1});
  if (!expression) return {to_string(expression.errors())};
  for (const Expression::Equality& equality : expression->equalities()) {
    const auto* const name = std::get_if<std::string>(&equality.right);
    texts.push_back(equality.left + " " +
                    (name != nullptr ? *name : std::to_string(std::get<std::int64_t>(equality.right))));
  }
  return texts;
}

TEST(Expression, EqualitiesAreThoseThatHaveToHold) {
  EXPECT_THAT(equalities_of("a == b"), ElementsAre("a b"));
  EXPECT_THAT(equalities_of("a == b && 3 == c && (d == e && f == 1)"),
              ElementsAre("a b", "c 3", "d e", "f 1"));
  EXPECT_THAT(equalities_of("a == b || c == 1"), ElementsAre());
  EXPECT_THAT(equalities_of("!(a == b)"), ElementsAre());
  EXPECT_THAT(equalities_of("a == b + 1 && a != c && 1 == 2 && a % b == 0"), ElementsAre());
}

TEST(Expression, AHundredLevelsAreAllowedAndNotMore) {
  const auto nested = [](std::size_t depth) {
    return Expression::parse(std::string(depth, '(') + "1" + std::string(depth, ')'), {"f", 1, 1});
  };
  ASSERT_TRUE(nested(100).ok());
  EXPECT_EQ(*nested(100)->evaluate({}), 1);
  ASSERT_FALSE(nested(101).ok());
  EXPECT_EQ(nested(101).error().location.column, 101);
  EXPECT_THAT(nested(101).error().message, HasSubstr("deeper than 100 levels"));
  EXPECT_FALSE(Expression::parse(std::string(101, '!') + "1", {"f", 1, 1}).ok());
  EXPECT_FALSE(Expression::parse(std::string(5000, '-') + "1", {"f", 1, 1}).ok());
}

TEST(Expression, ALongChainIsNoDeepNesting) {
  std::string text = "1";
  for (int i = 0; i < 4999; ++i) text += "+1";
  const auto expression = Expression::parse(text, {"f", 1, 1});
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(*expression->evaluate({}), 5000);
}

TEST(Expression, LengthIsLimited) {
  EXPECT_TRUE(Expression::parse(std::string(9'999, ' ') + "1", {"f", 1, 1}).ok());
  EXPECT_FALSE(Expression::parse(std::string(10'000, ' ') + "1", {"f", 1, 1}).ok());
}

// Of real values, which only holds() knows.
const Reals& reals() {
  static const Reals values = {{"alpha", 0.5}, {"lo", -1}, {"hi", 2.5}};
  return values;
}

struct Condition {
  std::string text;
  bool holds;
};

void PrintTo(const Condition& condition, std::ostream* stream) { *stream << condition.text; }

class ConditionTest : public ::testing::TestWithParam<Condition> {};

TEST_P(ConditionTest, Holds) {
  const auto condition = Expression::parse_condition(GetParam().text, {"f", 1, 1});
  ASSERT_TRUE(condition.ok()) << to_string(condition.errors());
  const auto holds = condition->holds(bindings(), reals());
  ASSERT_TRUE(holds.ok()) << to_string(holds.errors());
  EXPECT_EQ(*holds, GetParam().holds);
}

INSTANTIATE_TEST_SUITE_P(
    Conditions, ConditionTest,
    ::testing::Values(Condition{"alpha > 0", true}, Condition{"alpha > 0.5", false},
                      Condition{"alpha >= 0.5 * 1", true}, Condition{"lo < hi", true},
                      Condition{"!(lo < hi)", false}, Condition{"-hi < lo", true},
                      Condition{"alpha == 5e-1 && lo == -1", true},
                      Condition{"alpha < 1e-3 || hi > 2.25", true}, Condition{"a * alpha == 3.5", true},
                      Condition{"a / 2 == 3", true}, Condition{"a / 2 == 3 && alpha > 0", false},
                      Condition{"a / 2.0 == 3.5", true}, Condition{"max(lo, alpha, 0) == alpha", true},
                      Condition{"min(lo, hi) != lo", false}, Condition{"zero / (alpha - 0.5) > 0", false},
                      Condition{"a % 2 == 1", true}));

TEST(Condition, SaysWhatRealValuesCannotDo) {
  const auto remainder = Expression::parse_condition("a % 2 == 1 && alpha > 0", {"f", 3, 5});
  ASSERT_TRUE(remainder.ok());
  const auto holds = remainder->holds(bindings(), reals());
  ASSERT_FALSE(holds.ok());
  EXPECT_THAT(holds.error().message, HasSubstr("% is of integers"));
  EXPECT_EQ(holds.error().location.column, 7);
  const auto logarithm = Expression::parse_condition("log2(alpha) > 1", {"f", 1, 1});
  ASSERT_TRUE(logarithm.ok());
  EXPECT_FALSE(logarithm->holds(bindings(), reals()).ok());
}

TEST(Condition, DecimalNumbersAreForConditionsAlone) {
  EXPECT_FALSE(Expression::parse("a > 0.5", {"f", 1, 1}).ok());
  EXPECT_FALSE(Expression::parse_condition("1.5x > 0", {"f", 1, 1}).ok());
}

}  // namespace expression_test
}  // namespace kgrade
