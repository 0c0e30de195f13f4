#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/check_candidate.h"
#include "tests/support/fake_arena.h"
#include "verify/judgement.h"

namespace kgrade {
namespace check_run_test {

using test::FakeArena;
using test::FakeClock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FakeCheckArena : public CheckArena {
 public:
  CallReport oracle_report = FakeArena::clean(1);
  CallReport report = FakeArena::clean(1);
  Answer load_answer;
  std::string wrong_in;  // the pass in which the answer is wrong
  int kills = 0;         // so many calls end by a signal from outside
  ElementErrors right = test::equal_outputs();
  std::vector<std::vector<double>> samples;  // of each of the oracle's answers

  std::size_t small_errors = 0;  // so many passes, the first ones, are off by little where they are wrong

  // What happened.
  std::vector<std::string> passes;
  std::vector<std::uint32_t> draws;
  std::vector<std::uint32_t> oracle_draws;
  int left = 0;

  Result<CallReport> call_oracle(const Case&, const Draw& draw) override {
    oracle_draws.push_back(draw.index);
    return oracle_report;
  }
  std::vector<std::vector<double>> sample_expected() override { return samples; }
  Result<Answer> enter(const CheckPass& pass, const Case&) override {
    passes.push_back(pass.name);
    return load_answer;
  }
  CallReport call(const Draw& draw, Patience) override {
    draws.push_back(draw.index);
    if (kills > 0) {
      --kills;
      CallReport killed;
      killed.fault = Fault::killed;
      killed.detail = "signal 9";
      return killed;
    }
    return report;
  }
  std::vector<OutputErrors> compare() override {
    const auto& wrong =
        passes.size() <= small_errors ? test::outputs_off_by(3e-4) : test::outputs_off_by(0.5);
    return {{"output", {10, 10}, passes.back() == wrong_in ? wrong : right}};
  }
  void compare_by(std::vector<Magnitudes>) override {}
  std::optional<OutputValues> examine(std::size_t, const Draw&, Patience) override { return std::nullopt; }
  Evidence leave() override {
    ++left;
    return {};
  }
};

class CheckRunTest : public testing::Test {
 protected:
  CheckRunTest() {
    cases_.resize(1);
    cases_[0].bound.name = "tiny";
    built_.status = BuildStatus::built;
  }

  Result<CheckedCandidate> try_run() {
    CheckSession session{arena_, problem_,       7,       {{"forward"}, {"reverse", ThreadOrder::reverse}},
                         true,   Patience(1000), stages_, [](const std::string&) {}};
    return check_candidate(session, built_, cases_,
                           [this](const Evidence&, const Case&, int) {
                             return evidence_in_.empty() || arena_.passes.back() == evidence_in_
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
  FakeCheckArena arena_;
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
  arena_.right = test::outputs_off_by(3e-6);
  arena_.right.sum_squared_expected = 1e-6;
  arena_.samples = {{1, -1, 1}};
  EXPECT_EQ(run().status, CheckStatus::clean);
  EXPECT_THAT(arena_.oracle_draws, SizeIs(16 + 1));
  EXPECT_EQ(arena_.oracle_draws.back(), 0u) << "the candidate's";
  EXPECT_EQ(std::count(arena_.oracle_draws.begin(), arena_.oracle_draws.end(), 0u), 1);
  arena_.samples.clear();
  EXPECT_EQ(run().status, CheckStatus::findings);
}

TEST_F(CheckRunTest, BesideAWrongCaseNoCaseIsAMatterOfPrecision) {
  cases_.resize(2);
  cases_[1].bound.name = "other";
  arena_.wrong_in = "forward";
  arena_.small_errors = 4;
  EXPECT_THAT(run().findings, ElementsAre(testing::Field(&Finding::kind, "low_precision")));
  arena_.passes.clear();
  arena_.small_errors = 2;
  const CheckedCandidate record = run();
  EXPECT_THAT(record.findings, ElementsAre(testing::Field(&Finding::kind, "wrong_answer")));
  EXPECT_EQ(record.cases.at(0).passes.at(0).verdict, Verdict::wrong_answer);
}

TEST_F(CheckRunTest, EveryPassCallsTwiceOnTheSameInputsInAWorkerOfItsOwn) {
  const CheckedCandidate record = run();
  EXPECT_EQ(record.status, CheckStatus::clean);
  EXPECT_THAT(arena_.passes, ElementsAre("forward", "reverse"));
  EXPECT_THAT(arena_.draws, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(arena_.left, 2);
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
  arena_.wrong_in = "reverse";
  const CheckedCandidate record = run();
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "wrong_answer");
  EXPECT_THAT(record.findings[0].message,
              HasSubstr("wrong in reverse order: `output` has an error of 5.0e-01"));
  EXPECT_EQ(record.cases[0].passes[0].verdict, Verdict::accepted);
  EXPECT_EQ(record.cases[0].passes[1].verdict, Verdict::wrong_answer);
}

TEST_F(CheckRunTest, ACrashEndsThePassAndIsAFindingUnlessOneExplainsIt) {
  arena_.report.fault = Fault::ended;
  arena_.report.detail = "signal 11";
  const CheckedCandidate crashed = run();
  EXPECT_THAT(arena_.draws, SizeIs(2));
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
  arena_.report.fault = Fault::raised;
  arena_.report.detail = "ValueError: no way (mine.py:2)";
  const CheckedCandidate called = run();
  EXPECT_THAT(arena_.passes, ElementsAre("forward"));
  EXPECT_THAT(arena_.draws, SizeIs(1));
  ASSERT_THAT(called.findings, SizeIs(1));
  EXPECT_THAT(called.findings[0].message, HasSubstr("mine.py:2"));
  EXPECT_TRUE(called.cases.at(0).run);
  EXPECT_FALSE(called.cases.at(2).run);
  EXPECT_EQ(called.cases.at(2).message, "not run: the candidate raised an exception before");
}

TEST_F(CheckRunTest, AnExceptionWhileLoadingEndsTheCheck) {
  cases_.resize(2);
  arena_.load_answer.fault = Fault::raised;
  EXPECT_THAT(run().findings, SizeIs(1));
  EXPECT_THAT(arena_.passes, ElementsAre("forward"));
}

// The kernel's memory killer, or someone at a shell.
TEST_F(CheckRunTest, APassThatASignalFromOutsideEndsIsRunOnceMore) {
  arena_.kills = 1;
  EXPECT_THAT(run().findings, IsEmpty());
  EXPECT_EQ(arena_.passes, (std::vector<std::string>{"forward", "forward", "reverse"}));
  EXPECT_EQ(arena_.left, 3);
  arena_.kills = 2;
  EXPECT_EQ(run().findings.size(), 1u) << "twice is the candidate's doing";
}

TEST_F(CheckRunTest, WhatOnePassFindsExplainsWhatGoesWrongInTheOthers) {
  arena_.report.call.error = 700;
  evidence_in_ = "reverse";
  evidence_ = {finding("out_of_bounds")};
  const CheckedCandidate record = run();
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "out_of_bounds");
}

TEST_F(CheckRunTest, DamageIsAFindingAndNoReasonToStop) {
  arena_.report.corruption = {12, "output", 0, ""};
  const CheckedCandidate record = run();
  EXPECT_THAT(arena_.draws, SizeIs(4));
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "out_of_bounds");
}

TEST_F(CheckRunTest, ALibraryThatDoesNotLoadIsAFinding) {
  arena_.load_answer.fault = Fault::time_limit;
  const CheckedCandidate record = run();
  EXPECT_THAT(arena_.draws, IsEmpty());
  ASSERT_THAT(record.findings, SizeIs(1));
  EXPECT_EQ(record.findings[0].kind, "time_limit");
  EXPECT_EQ(arena_.left, 2);
}

TEST_F(CheckRunTest, SkippedCasesAreListedWithTheReason) {
  cases_[0].skipped = "too large";
  const CheckedCandidate record = run();
  EXPECT_THAT(arena_.passes, IsEmpty());
  EXPECT_FALSE(record.cases.at(0).run);
  EXPECT_EQ(record.cases[0].message, "too large");
}

TEST_F(CheckRunTest, WhatDoesNotBuildIsNotRun) {
  built_.status = BuildStatus::signature_mismatch;
  built_.message = "parameter 1";
  const CheckedCandidate record = run();
  EXPECT_EQ(record.status, CheckStatus::signature_mismatch);
  EXPECT_EQ(record.message, "parameter 1");
  EXPECT_THAT(arena_.passes, IsEmpty());
}

TEST_F(CheckRunTest, AFailureOfTheOracleIsNoFinding) {
  arena_.oracle_report.call.error = 700;
  const auto failing = try_run();
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the oracle fails on case 'tiny'"));
}

}  // namespace check_run_test
}  // namespace kgrade
