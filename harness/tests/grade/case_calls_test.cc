// Which calls a case consists of, their contents, and what a single call can reveal.
#include "grade/case_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "draw/draws.h"
#include "grade/case_choice.h"
#include "tests/support/case_fixture.h"

namespace kgrade {
namespace case_calls_test {

using test::equal_outputs;
using test::outputs_off_by;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CaseCalls : public test::CaseFixture {
 protected:
  // The candidate's outputs are wrong in calls for which this returns true.
  void answer_wrongly_in(std::function<bool(const Draw&)> is_wrong) {
    contest_.before_call = [this, is_wrong](Role, const Draw& draw) {
      contest_.candidate_comparison = is_wrong(draw) ? outputs_off_by(0.5) : equal_outputs();
    };
  }

  // Which of all calls are o, r and c.
  void expect_contents(std::size_t call, std::uint32_t index, std::uint32_t change) {
    EXPECT_EQ(contest_.draws.at(call).seed, seed) << call;
    EXPECT_EQ(contest_.draws.at(call).index, index) << call;
    EXPECT_EQ(contest_.draws.at(call).change, change) << call;
  }

  // The calls between two of the oracle's, which have the same contents.
  std::vector<std::string> rounds() const {
    std::vector<std::string> found;
    for (const char role : contest_.order) {
      if (role == 'o') {
        found.emplace_back();
      } else {
        found.back() += role;
      }
    }
    return found;
  }
};

// Where no speed is measured, what a call on old contents would show is of no use.
TEST_F(CaseCalls, ACaseThatIsNotMeasuredHasFourRoundsAndNoRepetitions) {
  case_.role = CaseRole::test;
  contest_.candidate_ms = {1000, 1, 9, 8};
  const CaseRecord record = run();
  EXPECT_THAT(rounds(), ElementsAre("rc", "rc", "c", "c"));
  for (std::size_t call = 0; call < 3; ++call) expect_contents(call, 0, 0);
  for (std::size_t call = 3; call < 6; ++call) expect_contents(call, 1, 0);
  for (std::size_t call = 6; call < 8; ++call) expect_contents(call, 1, 1);
  for (std::size_t call = 8; call < 10; ++call) expect_contents(call, 1, 2);
  EXPECT_EQ(record.calls, 4);
  EXPECT_THAT(candidate_ms(record), ElementsAre(1));
  EXPECT_THAT(repeated_ms(record), IsEmpty());
  EXPECT_FALSE(record.measurement);
  expect_accepted(record);
}

TEST_F(CaseCalls, AMeasuredCaseWarmsUpAndGoesOnInBlocks) {
  const CaseRecord record = run_briefly();
  const std::vector<std::string> all = rounds();
  // Two warm-up calls, two rounds of a block with nearly unchanged contents after one of them, and a probe.
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0], "rc") << "the reference's time limits the candidate's";
  EXPECT_EQ(all[1], "rc");
  EXPECT_EQ(all.back(), "c");
  const std::string& second = all[3] == "c" ? all[4] : all[3];
  EXPECT_NE(all[2], second.substr(0, 2)) << "ABBA or BAAB";
  std::set<std::tuple<std::uint32_t, std::uint32_t>> contents;
  for (const Draw& draw : contest_.draws) contents.insert({draw.index, draw.change});
  EXPECT_EQ(contents.size(), all.size()) << "every round has its own";
  EXPECT_EQ(candidate_ms(record).size(), 2u);
  EXPECT_EQ(record.measurement->processes.front().blocks.size(), 1u);
  expect_accepted(record);
}

// The candidate does not know which calls give samples.
TEST_F(CaseCalls, AfterTheSamplesTheLastContentsComeAgainAndThenNewOnes) {
  contest_.candidate_ms = {1000, 2, 1, 1, 1, 3, 4, 5};
  const CaseRecord record = run_briefly();
  EXPECT_THAT(contest_.order, testing::EndsWith("ccoc"));
  const std::size_t last = contest_.draws.size() - 1;
  for (const std::size_t call : {last - 3, last - 2}) {
    EXPECT_EQ(contest_.draws[call].index, contest_.draws[last - 4].index);
    EXPECT_EQ(contest_.draws[call].change, contest_.draws[last - 4].change);
  }
  EXPECT_GT(contest_.draws[last].index, contest_.draws[last - 4].index);
  EXPECT_THAT(repeated_ms(record), ElementsAre(3, 4));
  EXPECT_THAT(unmeasured_ms(record), ElementsAre(2, 5)) << "the first call of a process is like no other";
}

TEST_F(CaseCalls, TheWarmUpOfALaterCaseIsACallLikeAnyOther) {
  calls_before_ = 7;
  contest_.candidate_ms = {6, 2, 1, 1, 1, 3, 4, 5};
  EXPECT_THAT(unmeasured_ms(run_briefly()), ElementsAre(6, 2, 5));
}

TEST_F(CaseCalls, ContentsThatAreHardlyNewComeInEveryFourthBlockAtLeast) {
  contest_.seconds_per_call = 0.02;
  contest_.candidate_ms = {1, 1.5, 1.25, 1, 1.25, 1.5};  // too noisy to be known soon
  for (int i = 0; i < 200; ++i) contest_.candidate_ms.push_back(1 + 0.25 * (i * 7 % 5));
  const CaseRecord record = run();
  const std::size_t blocks = record.measurement->processes.front().blocks.size();
  ASSERT_GT(blocks, 20u);
  std::set<std::uint32_t> changes;
  for (const Draw& draw : contest_.draws) changes.insert(draw.change);
  EXPECT_GE(changes.size() - 1, blocks / 4);
}

TEST_F(CaseCalls, EveryCallIsCompared) {
  for (std::size_t wrong_call = 0; wrong_call < 8; ++wrong_call) {
    std::size_t calls = 0;
    contest_.order.clear();
    contest_.before_call = [&](Role role, const Draw&) {
      if (role != Role::candidate) return;
      contest_.candidate_comparison = calls++ == wrong_call ? outputs_off_by(0.5) : equal_outputs();
    };
    const CaseRecord record = run_briefly();
    EXPECT_EQ(record.verdict, Verdict::wrong_answer) << wrong_call;
    EXPECT_EQ(calls, wrong_call + 1) << "it is the last one";
  }
}

TEST_F(CaseCalls, OneThatAnswersOnceIsNoReplay) {
  case_.role = CaseRole::test;
  int calls = 0;
  answer_wrongly_in([&calls](const Draw&) { return ++calls > 3; });  // oracle, reference and candidate
  expect_failed(run(), Verdict::wrong_answer, "outputs_match");
}

TEST_F(CaseCalls, AReplayedResultIsACheckOfItsOwn) {
  answer_wrongly_in([](const Draw& draw) { return is_small_change(draw); });
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::wrong_answer, "fresh_contents");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::passed);
  EXPECT_THAT(record.message,
              HasSubstr("where the inputs differ from those of the call before in a few elements"));
}

TEST_F(CaseCalls, AWrongAnswerOnNewContentsIsNoReplay) {
  answer_wrongly_in([](const Draw& draw) { return draw.index > 0 && !is_small_change(draw); });
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::wrong_answer, "outputs_match");
  EXPECT_EQ(outcome("fresh_contents"), CheckOutcome::not_run);
}

TEST_F(CaseCalls, AWrongAnswerOnAHiddenShapeIsACheckOfItsOwn) {
  case_.role = CaseRole::hidden;
  answer_wrongly_in([](const Draw&) { return true; });
  expect_failed(run(), Verdict::wrong_answer, "hidden_shapes");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::passed);
}

TEST_F(CaseCalls, OnlyAHiddenCasePassesTheCheckOfHiddenShapes) {
  case_.role = CaseRole::test;
  expect_accepted(run());
  EXPECT_EQ(outcome("hidden_shapes"), CheckOutcome::not_run);
  EXPECT_EQ(outcome("fresh_contents"), CheckOutcome::passed);
  case_.role = CaseRole::hidden;
  expect_accepted(run());
  EXPECT_EQ(outcome("hidden_shapes"), CheckOutcome::passed);
}

TEST_F(CaseCalls, OneThatSpeaksOutOfTurnCheats) {
  contest_.candidate_report.fault = Fault::malformed;
  contest_.candidate_report.detail = "the worker sent a message that is none of the protocol's";
  const CaseRecord record = run();
  expect_failed(record, Verdict::cheating, "protocol");
  EXPECT_EQ(record.calls, 0);
  EXPECT_EQ(outcome("completion"), CheckOutcome::passed);
}

TEST_F(CaseCalls, WorkThatGoesOnIsNotIdle) {
  contest_.candidate_report.fault = Fault::busy;
  expect_failed(run(), Verdict::unstable, "idle");
  EXPECT_EQ(outcome("clock"), CheckOutcome::passed);
}

TEST_F(CaseCalls, AThreadThatIsLeftIsNotIdle) {
  contest_.candidate_report.threads_left = 2;
  const CaseRecord record = run();
  expect_failed(record, Verdict::cheating, "idle");
  EXPECT_THAT(record.message, HasSubstr("2 threads of its own are left"));
}

TEST_F(CaseCalls, ADeviceThatIsBusyBeforeEveryCallIsNotIdle) {
  contest_.candidate_report.waited_ms = 0.5;
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::unstable, "idle");
  EXPECT_THAT(record.message, HasSubstr("the device is busy between its calls, for 0.5 ms (median)"));
}

// A candidate that keeps the device busy gains nothing by leaving it idle once.
TEST_F(CaseCalls, IdleBeforeOneCallIsBusyAllTheSame) {
  int calls = 0;
  contest_.before_call = [&](Role role, const Draw&) {
    if (role == Role::candidate) contest_.candidate_report.waited_ms = calls++ == 0 ? 0 : 0.5;
  };
  expect_failed(run_briefly(), Verdict::unstable, "idle");
}

TEST_F(CaseCalls, ADeviceThatIsBusyNowAndThenHasBeenBusyWithOthers) {
  int calls = 0;
  contest_.before_call = [&](Role role, const Draw&) {
    if (role == Role::candidate) contest_.candidate_report.waited_ms = calls++ % 3 == 0 ? 0.5 : 0.25;
  };
  expect_accepted(run_briefly());
}

TEST_F(CaseCalls, ATimeThatNoClockHasIsALie) {
  for (const double elapsed : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    contest_.candidate_ms = {elapsed};
    expect_failed(run(), Verdict::cheating, "clock");
  }
}

// Calls on families of inputs: which count, and what a wrong answer to them says.
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
  EXPECT_EQ(verdict_with(1e-4), Verdict::low_precision);
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

}  // namespace case_calls_test
}  // namespace kgrade
