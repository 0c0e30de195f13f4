// Hidden cases of shipped problems: what holds for every draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "problem/catalogue.h"
#include "tests/problem/drawn_cases.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace shipped_hidden_cases_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// How many seeds each problem is drawn with.
constexpr std::uint64_t seeds = 50;

// A shipped problem, and the cases that each seed draws of it: drawn once for all tests, since they take
// seconds.
struct Shipped {
  Problem problem;
  std::vector<std::vector<Case>> draws;  // by seed
};

const Shipped& shipped(const std::filesystem::path& file) {
  static std::map<std::filesystem::path, Shipped> all;
  const auto [found, is_new] = all.try_emplace(file);
  Shipped& shipped = found->second;
  if (!is_new) return shipped;
  auto loaded = load_problem(file);
  if (!loaded) {
    ADD_FAILURE() << to_string(loaded.errors());
    return shipped;
  }
  shipped.problem = *std::move(loaded);
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    shipped.draws.push_back(drawn(shipped.problem, with_seed(seed)));
  return shipped;
}

class ShippedProblemTest : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    ASSERT_FALSE(problem_.fuzz.empty());
    ASSERT_THAT(draws_, SizeIs(seeds));
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      ASSERT_THAT(draws_[seed], SizeIs(4)) << "seed " << seed;
    }
  }

  // The parameters with more than one value in their range for which `condition` holds.
  template <class Condition>
  double share(const Case& bound, Condition condition) const {
    double free = 0;
    double fulfilling = 0;
    for (const FuzzRange& range : problem_.fuzz) {
      if (range.low == range.high) continue;
      ++free;
      fulfilling += condition(range, bound.integers.at(range.parameter)) ? 1 : 0;
    }
    return fulfilling / free;
  }

  const Problem& problem_ = shipped(GetParam()).problem;
  const std::vector<std::vector<Case>>& draws_ = shipped(GetParam()).draws;
};

TEST_P(ShippedProblemTest, CasesAreNamedInOrderAndHaveARoleOfTheirOwn) {
  for (const std::vector<Case>& cases : draws_) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(cases[i].name, fmt::format("hidden-{}", i + 1));
      EXPECT_EQ(cases[i].role, CaseRole::hidden);
    }
  }
}

TEST_P(ShippedProblemTest, CasesAreLegalAndInTheRanges) {
  for (const std::vector<Case>& cases : draws_) {
    for (const Case& bound : cases) {
      SCOPED_TRACE(line_of(problem_, bound));
      EXPECT_TRUE(resolve_case(problem_, spec_of(problem_, bound)).ok());
      for (const Expression& condition : problem_.require) {
        const auto holds = condition.evaluate(bound.integers);
        EXPECT_TRUE(holds.ok() && *holds != 0) << condition.text();
      }
      for (const FuzzRange& range : problem_.fuzz) {
        EXPECT_GE(bound.integers.at(range.parameter), range.low);
        EXPECT_LE(bound.integers.at(range.parameter), range.high);
      }
      for (const Tensor& tensor : bound.tensors) EXPECT_THAT(tensor.shape, Each(::testing::Ge(1)));
    }
  }
}

// An honest answer with a single element that cancelled was once rejected as imprecise.
TEST_P(ShippedProblemTest, OutputsHaveElementsEnoughForANorm) {
  for (const std::vector<Case>& cases : draws_) {
    for (const Case& bound : cases) {
      for (const Tensor& tensor : bound.tensors) {
        EXPECT_TRUE(!tensor.output || tensor.elements >= 32) << line_of(problem_, bound);
      }
    }
  }
}

TEST_P(ShippedProblemTest, CasesCostLittle) {
  const auto limits = hidden_limits(problem_, {});
  for (const std::vector<Case>& cases : draws_) {
    for (const Case& bound : cases) {
      EXPECT_LE(bound.tensor_bytes(4), 1 << 20) << line_of(problem_, bound);
      EXPECT_LE(bound.flops.value_or(0), 5'000'000) << line_of(problem_, bound);
      EXPECT_LE(bound.tensor_bytes(4), limits.bytes);
      EXPECT_LE(bound.flops.value_or(0), limits.flops);
    }
  }
}

TEST_P(ShippedProblemTest, NoCaseHasTheShapesOfAnother) {
  std::vector<std::vector<std::vector<std::int64_t>>> known;
  for (const CaseSpec& spec : problem_.cases) known.push_back(shapes_of(*resolve_case(problem_, spec)));
  for (const std::vector<Case>& cases : draws_) {
    auto all = known;
    for (const Case& bound : cases) all.push_back(shapes_of(bound));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

TEST_P(ShippedProblemTest, TheFirstLeansToTheEndsOfTheRanges) {
  for (const std::vector<Case>& cases : draws_) {
    EXPECT_GE(share(cases[0], [](const FuzzRange& range,
                                 std::int64_t value) { return value == range.low || value == range.high; }),
              0.5)
        << line_of(problem_, cases[0]);
  }
}

TEST_P(ShippedProblemTest, TheSecondHasRowsOfOddLength) {
  for (const std::vector<Case>& cases : draws_) {
    const Tensor& output = *std::find_if(cases[1].tensors.begin(), cases[1].tensors.end(),
                                         [](const Tensor& tensor) { return tensor.output; });
    EXPECT_EQ(output.shape.back() % 2, 1) << line_of(problem_, cases[1]);
    EXPECT_GT(output.shape.back(), 1) << line_of(problem_, cases[1]);
  }
}

TEST_P(ShippedProblemTest, TheThirdHasAValueThatNoCaseOfTheFileHas) {
  const auto is_new = [&](const FuzzRange& range, std::int64_t value) {
    return std::none_of(problem_.cases.begin(), problem_.cases.end(),
                        [&](const CaseSpec& spec) { return spec.integers.at(range.parameter) == value; });
  };
  for (const std::vector<Case>& cases : draws_) {
    EXPECT_GT(share(cases[2], is_new), 0) << line_of(problem_, cases[2]);
  }
}

TEST_P(ShippedProblemTest, TheFourthLeansToLargeValues) {
  for (const std::vector<Case>& cases : draws_) {
    EXPECT_GE(share(cases[3], [](const FuzzRange& range,
                                 std::int64_t value) { return 2 * value >= range.low + range.high - 1; }),
              0.5)
        << line_of(problem_, cases[3]);
  }
}

TEST_P(ShippedProblemTest, EverySeedGivesCasesOfItsOwn) {
  std::set<std::vector<std::string>> all;
  std::set<std::string> single;
  for (const std::vector<Case>& cases : draws_) {
    const auto lines = lines_of(problem_, cases);
    all.insert(lines);
    single.insert(lines.begin(), lines.end());
  }
  EXPECT_EQ(all.size(), seeds);
  EXPECT_GT(single.size(), seeds * 4 - 10);
}

TEST_P(ShippedProblemTest, BothEndsOfEveryRangeAreDrawn) {
  for (const FuzzRange& range : problem_.fuzz) {
    std::set<std::int64_t> values;
    for (const std::vector<Case>& cases : draws_) {
      for (const Case& bound : cases) values.insert(bound.integers.at(range.parameter));
    }
    EXPECT_EQ(*values.begin(), range.low) << range.parameter;
    EXPECT_EQ(*values.rbegin(), range.high) << range.parameter;
  }
}

TEST_P(ShippedProblemTest, AnyNumberOfCasesCanBeDrawn) {
  HiddenOptions many = with_seed(7);
  many.count = 32;
  const std::vector<Case> cases = drawn(problem_, many);
  EXPECT_THAT(cases, SizeIs(32));
  // A smaller number gives the first of them.
  const std::vector<std::string> lines = lines_of(problem_, cases);
  EXPECT_EQ(lines_of(problem_, draws_[7]), std::vector(lines.begin(), lines.begin() + 4));
}

std::vector<std::filesystem::path> shipped_problems() {
  auto files = problem_files(std::filesystem::path(KGRADE_SOURCE_DIR) / "problems");
  return files ? *std::move(files) : std::vector<std::filesystem::path>{};
}

class EveryProblemTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(EveryProblemTest, HasLegalHiddenCasesThatCostLittle) {
  const auto problem = load_problem(GetParam());
  ASSERT_TRUE(problem.ok());
  const std::vector<Case> cases = drawn(*problem, with_seed(1));
  EXPECT_GE(cases.size(), 4u);
  for (const Case& bound : cases) {
    SCOPED_TRACE(line_of(*problem, bound));
    EXPECT_TRUE(resolve_case(*problem, spec_of(*problem, bound)).ok());
    EXPECT_LE(bound.tensor_bytes(4), 1 << 20);
    EXPECT_LE(bound.flops.value_or(0), 5'000'000);
  }
}

std::string file_name_of(const ::testing::TestParamInfo<std::filesystem::path>& parameter) {
  std::string name = parameter.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// They have ranges enough for the shares that these tests ask for.
INSTANTIATE_TEST_SUITE_P(Files, ShippedProblemTest, ::testing::ValuesIn(test::kernelbench_convolutions()),
                         file_name_of);
INSTANTIATE_TEST_SUITE_P(Files, EveryProblemTest, ::testing::ValuesIn(shipped_problems()), file_name_of);

}  // namespace shipped_hidden_cases_test
}  // namespace kgrade::test
