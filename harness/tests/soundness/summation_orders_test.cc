// Sums in other orders, for references that are functions on the host.
#include "soundness/summation_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/soundness/fake_runner.h"

namespace kgrade::test {
namespace summation_orders_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* head = "---\nslug: sample\ntitle: Sample\ndifficulty: EASY\nparameters:\n";
constexpr const char* tail =
    "dtypes: [float32]\ncases:\n  - {name: small, role: test, n: 3, k: 40}\n  - {name: big, role: bench, n: "
    "2, k: "
    "64}\n---\ntext\n";

std::string tensor(const std::string& name, const std::string& shape, bool input) {
  return "  - {name: " + name + ", type: \"[VAR]\", pointer: true, const: " + (input ? "true" : "false") +
         ", shape: " + shape + (input ? ", init: \"normal(0, 1)\"" : "") + "}\n";
}

Problem problem_of_tensors(const std::string& tensors) {
  const std::string scalars =
      "  - {name: n, type: int, pointer: false}\n  - {name: k, type: int, pointer: false}\n";
  auto problem = parse_problem(head + tensors + scalars + tail, "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

using Rule = Values (*)(const std::vector<Values>& inputs, const Case& bound);

Function as_function(Rule rule) {
  return [rule](const std::vector<Values>& inputs, const Case& bound) {
    return std::vector<Values>{rule(inputs, bound)};
  };
}

// The scalar products of the rows of two matrices.
template <class T>
Values row_products(const std::vector<Values>& in, const Case& bound) {
  const auto n = static_cast<std::size_t>(bound.integers.at("n"));
  const std::size_t k = in[0].size() / n;
  Values out;
  for (std::size_t row = 0; row < n; ++row) {
    T sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += T(in[0][row * k + i]) * T(in[1][row * k + i]);
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

// The sum of all elements up to each one: the order is part of the meaning.
template <class T>
Values running_sums(const std::vector<Values>& in, const Case&) {
  Values out;
  T sum = 0;
  for (const float value : in[0]) out.push_back(static_cast<float>(sum += T(value)));
  return out;
}

template <class T>
Values squares(const std::vector<Values>& in, const Case&) {
  Values out;
  for (const float value : in[0]) out.push_back(static_cast<float>(T(value) * T(value)));
  return out;
}

template <class T>
Values normalized_rows(const std::vector<Values>& in, const Case& bound) {
  const auto k = static_cast<std::size_t>(bound.integers.at("k"));
  Values out;
  for (std::size_t begin = 0; begin < in[0].size(); begin += k) {
    T sum = 0;
    for (std::size_t i = begin; i < begin + k; ++i) sum += T(in[0][i]) * T(in[0][i]);
    for (std::size_t i = begin; i < begin + k; ++i) out.push_back(static_cast<float>(T(in[0][i]) / sum));
  }
  return out;
}

struct Found {
  double own = 0;  // error in the reference's order
  double largest = 0;
  std::set<std::string> orders;
};

Found orders_of(const Problem& problem, Rule oracle, Rule reference) {
  FakeRunner runner(problem, as_function(oracle), as_function(reference));
  SummationOrders orders(problem);
  const Case bound = *resolve_case(problem, problem.cases[0]);
  runner.set_case(bound);
  SummationOrders none(problem);
  const auto own = none.measure(runner, bound, {1, 0}, false);
  const auto largest = orders.measure(runner, bound, {1, 0}, true);
  EXPECT_TRUE(own && largest);
  return {*own, *largest, orders.reordered()};
}

TEST(Summation, OperandsThatAreRearrangedAlikeGiveSumsAnotherOrder) {
  const Problem problem = problem_of_tensors(tensor("x", "[n, k]", true) + tensor("y", "[n, k]", true) +
                                             tensor("out", "[n]", false));
  const Found found = orders_of(problem, row_products<double>, row_products<float>);
  EXPECT_THAT(found.orders, ElementsAre("k shuffled", "the last axis reversed"));
  EXPECT_GE(found.largest, found.own);
  EXPECT_GT(found.largest, 0);
  EXPECT_LT(found.largest, 1e-5);
}

TEST(Summation, AnAxisOfTheOutputIsRearrangedWithIt) {
  const Problem problem = problem_of_tensors(tensor("x", "[n, k]", true) + tensor("out", "[n, k]", false));
  EXPECT_THAT(orders_of(problem, normalized_rows<double>, normalized_rows<float>).orders,
              Contains("k shuffled"));
}

TEST(Summation, AnOrderThatIsPartOfTheProblemIsLeftAlone) {
  const Problem problem = problem_of_tensors(tensor("x", "[n * k]", true) + tensor("out", "[n * k]", false));
  const Found found = orders_of(problem, running_sums<double>, running_sums<float>);
  EXPECT_THAT(found.orders, IsEmpty());
  EXPECT_EQ(found.largest, found.own);
}

TEST(Summation, WhereNothingIsSummedThereIsNoOtherOrder) {
  const Problem problem = problem_of_tensors(tensor("x", "[n, k]", true) + tensor("out", "[n, k]", false));
  EXPECT_THAT(orders_of(problem, squares<double>, squares<float>).orders, IsEmpty());
}

// A filter's channels are those of one group of the image's.
TEST(Summation, AxesOfSeveralExtentsAreShuffledBlockByBlock) {
  const Problem problem = problem_of_tensors(tensor("x", "[n, k]", true) + tensor("y", "[k / 4]", true) +
                                             tensor("out", "[n]", false));
  const Case bound = *resolve_case(problem, problem.cases[0]);
  const Arrangement both{"k", false, {{1}, {0}, {}}};
  EXPECT_EQ(common_extent(both, bound), 10);
  Values channels(40);
  for (std::size_t i = 0; i < channels.size(); ++i) channels[i] = static_cast<float>(i);
  const Values filter(channels.begin(), channels.begin() + 10);
  const Values shuffled = rearranged(channels, {1, 40}, {1}, false, 10);
  const Values same = rearranged(filter, {10}, {0}, false, 10);
  EXPECT_NE(same, filter);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(shuffled[i], same[i % 10] + static_cast<float>(i / 10 * 10)) << i;
}

TEST(Summation, LargeCasesRunWhatSmallOnesHaveProven) {
  const Problem problem = problem_of_tensors(tensor("x", "[n, k]", true) + tensor("y", "[n, k]", true) +
                                             tensor("out", "[n]", false));
  FakeRunner runner(problem, as_function(row_products<double>), as_function(row_products<float>));
  SummationOrders orders(problem);
  const Case small = *resolve_case(problem, problem.cases[0]);
  runner.set_case(small);
  ASSERT_TRUE(orders.measure(runner, small, {1, 0}, true));
  const int calls = runner.oracle_calls;
  const Case large = *resolve_case(problem, problem.cases[1]);
  runner.set_case(large);
  ASSERT_TRUE(orders.measure(runner, large, {1, 0}, false));
  EXPECT_EQ(runner.oracle_calls - calls, 3) << "as they are, reversed, shuffled";
  EXPECT_GT(calls, 6);
}

// Offsets in another order would be no offsets any more.
TEST(Summation, WhatTheFileComputesIsNeverRearranged) {
  std::string computed = tensor("y", "[k]", true);
  computed.replace(computed.find("init: "), std::string::npos, "init: computed}\n");
  const Problem problem =
      problem_of_tensors(tensor("x", "[n, k]", true) + computed + tensor("out", "[n]", false));
  const auto arrangements = arrangements_of(problem);
  EXPECT_THAT(arrangements, Not(IsEmpty()));
  for (const Arrangement& arrangement : arrangements) EXPECT_THAT(arrangement.axes[1], IsEmpty());
}

}  // namespace summation_orders_test
}  // namespace kgrade::test
