// Calls on families of inputs: which count, and what a wrong answer to them says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "grade/case_calls.h"
#include "tests/support/case_fixture.h"

namespace kgrade {
namespace grade_families_test {

using test::outputs_off_by;
using testing::HasSubstr;

class CallsOnFamilies : public test::CaseFixture {
 protected:
  CallsOnFamilies() {
    case_.role = CaseRole::test;
    problem_.cases.resize(10);
    for (const char* name : {"input", "output"}) {
      Parameter parameter;
      parameter.name = name;
      parameter.type = "[VAR]";
      parameter.pointer = true;
      parameter.is_const = parameter.name == "input";
      problem_.parameters.push_back(parameter);
      Tensor tensor;
      tensor.name = name;
      tensor.parameter = case_.tensors.size();
      tensor.output = !parameter.is_const;
      tensor.shape = {10, 10};
      tensor.elements = 100;
      tensor.init = {ResolvedInit::Kind::normal, 0, 1};
      case_.tensors.push_back(tensor);
    }
  }

  std::size_t calls_of_candidate() const {
    return static_cast<std::size_t>(std::count(contest_.order.begin(), contest_.order.end(), 'c'));
  }
  // The comparison of a role's calls on families, and of those on the case's own inputs.
  void compare(Role role, const ElementErrors& on_families) {
    ElementErrors& comparison =
        role == Role::candidate ? contest_.candidate_comparison : contest_.reference_comparison;
    contest_.before_call = [&comparison, role, on_families](Role called, const Draw& draw) {
      if (called == role) comparison = draw.family != 0 ? on_families : test::equal_outputs();
    };
  }
};

TEST_F(CallsOnFamilies, ComeLastAndAreInTheRecord) {
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_TRUE(contest_.order.ends_with("orcorcococorcorc")) << contest_.order;
  EXPECT_EQ(record.families.size(), 2u);
  for (const DrawnFamilies& drawn : record.families) {
    EXPECT_TRUE(drawn.tells);
    EXPECT_THAT(drawn.inputs, HasSubstr("input: "));
  }
}

// A file in KernelBench's form has one case.
TEST_F(CallsOnFamilies, AreMoreInAFileWithOneSmallCase) {
  problem_.cases.resize(1);
  EXPECT_EQ(run().families.size(), 20u);
  for (Tensor& tensor : case_.tensors) tensor.elements = 1 << 20;
  EXPECT_EQ(varied_rounds(problem_, case_, false), 2);
  EXPECT_EQ(varied_rounds(problem_, case_, true), 20);
  problem_.cases.resize(2);
  EXPECT_EQ(varied_rounds(problem_, case_, true), 2);
}

TEST_F(CallsOnFamilies, TheReferenceAnswersInputsThatAreRoundedOnceMore) {
  std::vector<Draw> of_reference;
  contest_.before_call = [&](Role role, const Draw& draw) {
    if (role == Role::reference && draw.family != 0) of_reference.push_back(draw);
  };
  run();
  ASSERT_EQ(of_reference.size(), 2u);
  for (const Draw& draw : of_reference) EXPECT_GT(draw.rounding, 24);
  of_reference.clear();
  problem_.precision = "bf16";
  run();
  for (const Draw& draw : of_reference) EXPECT_EQ(draw.rounding, 8);
}

TEST_F(CallsOnFamilies, OfFewOutputsAreRoundedSeveralTimes) {
  case_.tensors.back().elements = 1;
  std::vector<std::uint32_t> rounded;
  contest_.before_call = [&](Role role, const Draw& draw) {
    if (role == Role::reference && draw.family != 0) rounded.push_back(draw.rounded);
    contest_.reference_comparison = rounded.size() == 3 ? outputs_off_by(0.4e-5) : test::equal_outputs();
  };
  const CaseRecord record = run();
  ASSERT_GT(rounded.size(), 6u);
  rounded.resize(7);
  EXPECT_THAT(rounded, testing::ElementsAre(0, 1, 2, 0, 1, 2, 3));
  EXPECT_FALSE(record.families.front().tells) << "off by more than a third in the third of four roundings";
}

TEST_F(CallsOnFamilies, DoNotCountWhereTheReferenceIsOffByMoreThanAThird) {
  compare(Role::reference, outputs_off_by(0.3e-5));
  EXPECT_TRUE(run().families.front().tells);
  const std::size_t calls = calls_of_candidate();
  contest_.order.clear();
  compare(Role::reference, outputs_off_by(0.4e-5));
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_EQ(calls_of_candidate(), calls - 2);
  EXPECT_EQ(record.families.size(), 6u) << "two more draws in the place of each";
  for (const DrawnFamilies& drawn : record.families) EXPECT_FALSE(drawn.tells);
}

TEST_F(CallsOnFamilies, AModelHasATenth) {
  problem_.reference = "model.py";
  compare(Role::reference, outputs_off_by(0.3e-5));
  EXPECT_FALSE(run().families.front().tells);
  compare(Role::reference, outputs_off_by(0.9e-6));
  EXPECT_TRUE(run().families.front().tells);
}

// One operator rounds four times to float16: 2e-3, or four times as much as Model is off by on these inputs.
TEST_F(CallsOnFamilies, AModelInHalfPrecisionLimitsErrorsOnAGpu) {
  problem_.reference = "model.py";
  problem_.dtype = Dtype::float16;
  problem_.precision = "bf16";
  problem_.torch.emplace();
  problem_.torch->operators = 1;
  contest_.expected_samples = {{{1, 2, 3}}};
  const auto verdict_with = [&](double error_of_model) {
    contest_.before_call = [this, error_of_model](Role called, const Draw& draw) {
      ElementErrors& comparison =
          called == Role::candidate ? contest_.candidate_comparison : contest_.reference_comparison;
      comparison = draw.family == 0 ? test::equal_outputs()
                                    : outputs_off_by(called == Role::candidate ? 3e-3 : error_of_model);
    };
    const CaseRecord record = run();
    EXPECT_TRUE(record.families.front().tells);
    return record.verdict;
  };
  EXPECT_EQ(verdict_with(1e-4), Verdict::wrong_answer);
  EXPECT_EQ(verdict_with(9e-4), Verdict::accepted);
  contest_.info.measures_speed = false;
  EXPECT_EQ(verdict_with(1e-4), Verdict::accepted);
}

TEST_F(CallsOnFamilies, AnAnswerThatIsNotFiniteDoesNotCount) {
  ElementErrors errors = test::equal_outputs();
  errors.compared = 99;
  compare(Role::reference, errors);
  EXPECT_FALSE(run().families.front().tells);
}

TEST_F(CallsOnFamilies, AWrongAnswerNamesThem) {
  compare(Role::candidate, outputs_off_by(0.5));
  contest_.wrong = 100;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(record.message,
            "'output': 100 of 100 elements wrong, the worst at [0, 0]; " + record.families.front().inputs);
  EXPECT_EQ(record.families.size(), 1u);
}

TEST_F(CallsOnFamilies, OnlyNumbersThatAreNotFiniteAreWrongInAConstantAnswer) {
  ElementErrors on_families = outputs_off_by(0.5);
  contest_.before_call = [&](Role role, const Draw& draw) {
    const bool has_families = draw.family != 0;
    if (role == Role::oracle)
      contest_.expected_samples = {
          {has_families ? std::vector<double>{3, 3, 3} : std::vector<double>{1, 2, 3}}};
    if (role == Role::candidate)
      contest_.candidate_comparison = has_families ? on_families : test::equal_outputs();
  };
  expect_accepted(run());
  on_families = test::equal_outputs();
  on_families.nonfinite_mismatches = 1;
  EXPECT_EQ(run().verdict, Verdict::wrong_answer);
}

// The bound of 10^5 terms is 1.1e-4, and twice that has its end at 2.2e-4.
TEST_F(CallsOnFamilies, BoundsGrowTwiceAsFastWithTheTerms) {
  case_.terms = 100'000;
  contest_.candidate_comparison = outputs_off_by(2e-4);
  EXPECT_EQ(run().verdict, Verdict::low_precision);
  compare(Role::candidate, outputs_off_by(2e-4));
  EXPECT_EQ(run().verdict, Verdict::accepted);
  compare(Role::candidate, outputs_off_by(2.3e-4));
  EXPECT_EQ(run().verdict, Verdict::low_precision);
}

TEST_F(CallsOnFamilies, MeasuredCasesHaveTwoAfterTheClock) {
  case_.role = CaseRole::bench;
  const CaseRecord record = run_briefly();
  EXPECT_EQ(record.families.size(), 2u);
  EXPECT_TRUE(contest_.order.ends_with("orcorc"));
  for (std::size_t i = 0; i + 6 < contest_.draws.size(); ++i) EXPECT_EQ(contest_.draws[i].family, 0u);
}

}  // namespace grade_families_test
}  // namespace kgrade
