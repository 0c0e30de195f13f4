#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/check.h"
#include "check/check_candidate.h"
#include "tests/support/fake_contest.h"
#include "verify/judgement.h"

namespace kgrade {
namespace check_run_test {

using test::FakeClock;
using test::FakeContest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CheckRunTest : public testing::Test {
 protected:
  CheckRunTest() {
    cases_.resize(1);
    cases_[0].bound.name = "tiny";
    built_.status = BuildStatus::built;
    contest_.candidate_report = FakeContest::clean(1);
    contest_.before_call = [this](Role role, const Draw& draw) {
      if (role != Role::candidate) return;
      draws_.push_back(draw.index);
      const bool is_small = contest_.passes.size() <= small_errors_;
      contest_.candidate_comparison = contest_.passes.back() != wrong_in_ ? right_
                                      : is_small                          ? test::outputs_off_by(3e-4)
                                                                          : test::outputs_off_by(0.5);
      if (kills_ > 0) {
        --kills_;
        contest_.candidate_report.fault = Fault::killed;
        contest_.candidate_report.detail = "signal 9";
      } else if (contest_.candidate_report.fault == Fault::killed) {
        contest_.candidate_report = FakeContest::clean(1);
      }
    };
  }

  Result<CheckedCandidate> try_run() {
    CheckSession session{contest_, problem_,       7,       {{"forward"}, {"reverse", ThreadOrder::reverse}},
                         true,     Patience(1000), stages_, [](const std::string&) {}};
    return check_candidate(session, built_, cases_,
                           [this](const Evidence&, const Case&, int) {
                             return evidence_in_.empty() || contest_.passes.back() == evidence_in_
                                        ? evidence_
                                        : std::vector<Finding>{};
                           },
                           {});
  }
  CheckedCandidate run() {
    auto record = try_run();
    EXPECT_TRUE(record.ok());
    return record.ok() ? *record : CheckedCandidate{};
  }

  static Finding finding(const std::string& kind) {
    Finding finding;
    finding.kind = kind;
    finding.place = FindingPlace{"x.cu", 7, "", ""};
    return finding;
  }

  FakeClock clock_;
  StageClock stages_{clock_};
  FakeContest contest_{clock_};
  std::string wrong_in_;  // the pass in which the answer is wrong
  int kills_ = 0;         // so many calls end by a signal from outside
  ElementErrors right_ = test::equal_outputs();
  std::size_t small_errors_ = 0;  // so many passes, the first ones, are off by little where they are wrong
  std::vector<std::uint32_t> draws_;  // of the candidate
  Problem problem_;
  BuildOutcome built_;
  std::vector<PlannedCase> cases_;
  std::vector<Finding> evidence_;
  std::string evidence_in_;  // only in this pass; empty: in all
};

// As if sums cancelled: the output's norm is 1e-3, and usually 10 (verify/judgement.h).
TEST_F(CheckRunTest, ASmallOutputIsJudgedByItsUsualNorm) {
  Tensor output;
  output.output = true;
  output.elements = 3;
  cases_[0].bound.tensors = {output};
  right_ = test::outputs_off_by(3e-6);
  right_.sum_squared_expected = 1e-6;
  contest_.expected_samples = {{{1, -1, 1}}};
  EXPECT_EQ(run().status, CheckStatus::clean);
  EXPECT_THAT(contest_.oracle_draws, SizeIs(16 + 1));
  EXPECT_EQ(contest_.oracle_draws.back().index, 0u) << "the candidate's";
  EXPECT_EQ(std::count_if(contest_.oracle_draws.begin(), contest_.oracle_draws.end(),
                          [](const Draw& draw) { return draw.index == 0; }),
            1);
  contest_.expected_samples.clear();
  EXPECT_EQ(run().status, CheckStatus::findings);
}

TEST_F(CheckRunTest, BesideAWrongCaseNoCaseIsAMatterOfPrecision) {
  cases_.resize(2);
  cases_[1].bound.name = "other";
  wrong_in_ = "forward";
  small_errors_ = 4;
  EXPECT_THAT(run().findings, ElementsAre(testing::Field(&Finding::kind, "low_precision")));
  contest_.passes.clear();
  small_errors_ = 2;
  const CheckedCandidate record = run();
  EXPECT_THAT(record.findings, ElementsAre(testing::Field(&Finding::kind, "wrong_answer")));
  EXPECT_EQ(record.cases.at(0).passes.at(0).verdict, Verdict::wrong_answer);
}

TEST_F(CheckRunTest, EveryPassCallsTwiceOnTheSameInputsInAWorkerOfItsOwn) {
  const CheckedCandidate record = run();
  EXPECT_EQ(record.status, CheckStatus::clean);
  EXPECT_THAT(contest_.passes, ElementsAre("forward", "reverse"));
  EXPECT_THAT(draws_, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(contest_.left_passes, 2);
  ASSERT_THAT(record.cases.at(0).passes, SizeIs(2));
  EXPECT_EQ(record.cases[0].passes[0].calls, 2);
}

TEST_F(CheckRunTest, WhatIsFoundInTwoPassesIsOneFinding) {
  evidence_ = {finding("race")};
  const CheckedCandidate record = run();
  EXPECT_EQ(record.status, CheckStatus::findings);
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_THAT(record.findings[0].passes, ElementsAre("forward", "reverse"));
}

TEST_F(CheckRunTest, AWrongAnswerInOneOrderIsAFindingOfItsOwn) {
  wrong_in_ = "reverse";
  const CheckedCandidate record = run();
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "wrong_answer");
  EXPECT_THAT(record.findings[0].message,
              HasSubstr("wrong in reverse order: `output` has an error of 5.0e-01"));
  EXPECT_EQ(record.cases[0].passes[0].verdict, Verdict::accepted);
  EXPECT_EQ(record.cases[0].passes[1].verdict, Verdict::wrong_answer);
}

TEST_F(CheckRunTest, ACrashEndsThePassAndIsAFindingUnlessOneExplainsIt) {
  contest_.candidate_report.fault = Fault::ended;
  contest_.candidate_report.detail = "signal 11";
  const CheckedCandidate crashed = run();
  EXPECT_THAT(draws_, SizeIs(2));
  ASSERT_THAT(crashed.findings, SizeIs(1));
  EXPECT_EQ(crashed.findings[0].kind, "runtime_error");
  evidence_ = {finding("out_of_bounds")};
  const CheckedCandidate explained = run();
  ASSERT_THAT(explained.findings, SizeIs(1));
  EXPECT_EQ(explained.findings[0].kind, "out_of_bounds");
  EXPECT_EQ(explained.cases[0].passes[0].verdict, Verdict::runtime_error);
}

TEST_F(CheckRunTest, AnExceptionInPythonEndsTheCheckSinceEveryPassGivesTheSame) {
  cases_.resize(3);
  cases_[2].bound.name = "large";
  contest_.candidate_report.fault = Fault::raised;
  contest_.candidate_report.detail = "ValueError: no way (mine.py:2)";
  const CheckedCandidate called = run();
  EXPECT_THAT(contest_.passes, ElementsAre("forward"));
  EXPECT_THAT(draws_, SizeIs(1));
  ASSERT_THAT(called.findings, SizeIs(1));
  EXPECT_THAT(called.findings[0].message, HasSubstr("mine.py:2"));
  EXPECT_TRUE(called.cases.at(0).run);
  EXPECT_FALSE(called.cases.at(2).run);
  EXPECT_EQ(called.cases.at(2).message, "not run: the candidate raised an exception before");
}

TEST_F(CheckRunTest, AnExceptionWhileLoadingEndsTheCheck) {
  cases_.resize(2);
  contest_.load_answer.fault = Fault::raised;
  EXPECT_THAT(run().findings, SizeIs(1));
  EXPECT_THAT(contest_.passes, ElementsAre("forward"));
}

// The kernel's memory killer, or someone at a shell.
TEST_F(CheckRunTest, APassThatASignalFromOutsideEndsIsRunOnceMore) {
  kills_ = 1;
  EXPECT_THAT(run().findings, IsEmpty());
  EXPECT_EQ(contest_.passes, (std::vector<std::string>{"forward", "forward", "reverse"}));
  EXPECT_EQ(contest_.left_passes, 3);
  kills_ = 2;
  EXPECT_EQ(run().findings.size(), 1u) << "twice is the candidate's doing";
}

TEST_F(CheckRunTest, WhatOnePassFindsExplainsWhatGoesWrongInTheOthers) {
  contest_.candidate_report.call.error = 700;
  evidence_in_ = "reverse";
  evidence_ = {finding("out_of_bounds")};
  const CheckedCandidate record = run();
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "out_of_bounds");
}

TEST_F(CheckRunTest, DamageIsAFindingAndNoReasonToStop) {
  contest_.candidate_report.corruption = {12, "output", 0, ""};
  const CheckedCandidate record = run();
  EXPECT_THAT(draws_, SizeIs(4));
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "out_of_bounds");
}

TEST_F(CheckRunTest, ALibraryThatDoesNotLoadIsAFinding) {
  contest_.load_answer.fault = Fault::time_limit;
  const CheckedCandidate record = run();
  EXPECT_THAT(draws_, IsEmpty());
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "time_limit");
  EXPECT_EQ(contest_.left_passes, 2);
}

TEST_F(CheckRunTest, SkippedCasesAreListedWithTheReason) {
  cases_[0].skipped = "too large";
  const CheckedCandidate record = run();
  EXPECT_THAT(contest_.passes, IsEmpty());
  EXPECT_FALSE(record.cases.at(0).run);
  EXPECT_EQ(record.cases[0].message, "too large");
}

TEST_F(CheckRunTest, WhatDoesNotBuildIsNotRun) {
  built_.status = BuildStatus::signature_mismatch;
  built_.message = "parameter 1";
  const CheckedCandidate record = run();
  EXPECT_EQ(record.status, CheckStatus::signature_mismatch);
  EXPECT_EQ(record.message, "parameter 1");
  EXPECT_THAT(contest_.passes, IsEmpty());
}

TEST_F(CheckRunTest, AFailureOfTheOracleIsNoFinding) {
  contest_.oracle_report.call.error = 700;
  const auto failing = try_run();
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the oracle fails on case 'tiny'"));
}

// Cases of n elements and n operations each.
Problem problem_with(const std::string& cases) {
  const std::string content =
      "---\nslug: copy\ntitle: Copy\ndifficulty: EASY\nparameters:\n"
      "  - {name: in, type: float, pointer: true, const: true, shape: [n], init: ones}\n"
      "  - {name: out, type: float, pointer: true, const: false, shape: [n]}\n"
      "  - {name: n, type: size_t, pointer: false, const: false}\n"
      "flops: n * work\nlet:\n  work: 100\ncases:\n" +
      cases + "---\nText.\n";
  auto problem = parse_problem(content, "copy.md");
  EXPECT_TRUE(problem.ok()) << to_string(problem.errors());
  return problem.ok() ? *problem : Problem{};
}

RunOptions named(const std::vector<std::string>& names) {
  RunOptions options;
  options.cases = names;
  return options;
}

std::vector<std::string> run_of(const Problem& problem, const std::vector<std::string>& names) {
  const auto chosen = select_small_cases(problem, named(names));
  EXPECT_TRUE(chosen.ok());
  std::vector<std::string> run;
  for (const PlannedCase& planned : chosen->cases) {
    if (planned.skipped.empty()) run.push_back(planned.bound.name);
  }
  return run;
}

const char* const cases =
    "  - {name: tiny, role: sample, n: 10}\n"
    "  - {name: c, role: test, n: 30}\n"
    "  - {name: a, role: test, n: 10}\n"
    "  - {name: b, role: test, n: 20}\n"
    "  - {name: huge, role: test, n: 200001}\n"
    "  - {name: bench, role: bench, n: 10}\n";

TEST(SmallCases, AllSamplesAndTestsThatAreSmallEnough) {
  EXPECT_THAT(run_of(problem_with(cases), {}), ElementsAre("tiny", "c", "a", "b"));
}

TEST(SmallCases, ANamedCaseRunsWhateverItsSize) {
  EXPECT_THAT(run_of(problem_with(cases), {"huge"}), ElementsAre("huge"));
  EXPECT_THAT(run_of(problem_with(cases), {"bench", "c"}), ElementsAre("c", "bench"));
}

TEST(SmallCases, SkippedOnesSayWhyAndHowToRunThem) {
  const auto selected = select_small_cases(problem_with(cases), {});
  ASSERT_TRUE(selected.ok());
  EXPECT_EQ(
      selected->cases.at(4).skipped,
      "20000100 operations, checked runs take up to 20000000; --case huge --force runs it all the same");
}

TEST(SmallCases, AnUnknownCaseIsAnError) {
  const auto selected = select_small_cases(problem_with(cases), named({"tinny"}));
  ASSERT_FALSE(selected.ok());
  EXPECT_THAT(selected.error().remedy, HasSubstr("tiny"));
}

// A hidden shape that was refused in a grade can be checked alone, whatever its size.
TEST(SmallCases, HiddenOnesAreDrawnAsInAGrade) {
  const Problem problem = problem_with(std::string(cases) + "fuzz: {n: 1..300000}\n");
  RunOptions options;
  options.hidden_seed = 7;
  const auto drawn = select_small_cases(problem, options);
  ASSERT_TRUE(drawn.ok()) << to_string(drawn.errors());
  EXPECT_EQ(drawn->hidden_seed, 7U);
  ASSERT_EQ(drawn->cases.size(), 6U + usual_hidden_cases);
  options.cases = {"hidden-3"};
  const auto alone = select_small_cases(problem, options);
  ASSERT_TRUE(alone.ok());
  ASSERT_EQ(alone->cases.size(), 1U);
  EXPECT_EQ(alone->cases[0].bound.integers, drawn->cases[8].bound.integers);
  EXPECT_EQ(alone->cases[0].skipped, "");
  options.hidden_seed.reset();
  EXPECT_THAT(select_small_cases(problem, options).error().remedy, HasSubstr("--hidden-seed"));
}

}  // namespace check_run_test
}  // namespace kgrade
