#include "grade/candidate_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/temporary_directory.h"
#include "tests/support/fake_contest.h"

namespace kgrade {
namespace candidate_run_test {

using test::outputs_off_by;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class CandidateRunTest : public testing::Test {
 protected:
  CandidateRunTest() {
    built_.status = BuildStatus::built;
    contest_.seconds_per_call = 10;
    contest_.before_call = [this](Role, const Draw&) {
      if (reference_at_) contest_.reference_ms = {reference_at_()};
    };
    add_case("large", CaseRole::bench);
  }

  // In which the contestants have been started since the first one.
  int new_processes() const {
    return static_cast<int>(std::count(contest_.order.begin(), contest_.order.end(), '|'));
  }

  void add_case(const std::string& name, CaseRole role, const std::string& skipped = "") {
    PlannedCase planned;
    planned.bound.name = name;
    planned.bound.role = role;
    planned.skipped = skipped;
    cases_.push_back(planned);
  }

  Result<CandidateRecord> try_run() { return run_candidate(session_, built_, cases_, {}); }
  CandidateRecord run() {
    auto record = try_run();
    EXPECT_TRUE(record.ok()) << to_string(record.errors());
    return record.ok() ? *record : CandidateRecord{};
  }

  // True once the candidate's cases have started: its oracle has been called.
  bool beside() const { return contest_.order.find('o') != std::string::npos; }

  static CheckOutcome outcome(const CandidateRecord& record, const std::string& name) {
    for (const Check& check : record.checks) {
      if (check.name == name) return check.outcome;
    }
    ADD_FAILURE() << "no check " << name;
    return CheckOutcome::not_run;
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  test::FakeContest contest_{clock_};
  Problem problem_;
  BuildOutcome built_;
  std::vector<PlannedCase> cases_;
  std::function<double()> reference_at_;  // what it takes, by what has happened so far
  Session session_{contest_, problem_, 7, Effort::quick, {}, stages_, [](const std::string&) {}};
};

TEST_F(CandidateRunTest, SaysIfNoInputHasFamilies) {
  EXPECT_THAT(run().notes, Contains(StartsWith("no input has families")));
  for (const bool is_input : {true, false}) {
    Parameter& parameter = problem_.parameters.emplace_back();
    parameter.type = "[VAR]";
    parameter.pointer = true;
    parameter.is_const = is_input;
    cases_.front().bound.tensors.push_back(
        {"", problem_.parameters.size() - 1, !is_input, {10}, 10, {ResolvedInit::Kind::normal, 0, 1}});
  }
  contest_.retired = false;
  session_.known = std::make_shared<KnownCases>();
  const CandidateRecord record = run();
  EXPECT_EQ(record.cases.front().families.size(), 2u);
  EXPECT_THAT(record.notes, Not(Contains(StartsWith("no input has families"))));
}

// cuobjdump is a script that prints one instruction, or fails.
TEST_F(CandidateRunTest, NamesMatrixUnits) {
  const TemporaryDirectory folder;
  const auto use = [&](const std::string& script) {
    std::ofstream(folder.path() / "cuobjdump") << "#!/bin/sh\n" + script + "\n";
    std::filesystem::permissions(folder.path() / "cuobjdump", std::filesystem::perms::owner_all);
    contest_.retired = false;
    session_.known = std::make_shared<KnownCases>();
    return std::make_unique<MatrixUnits>(
        std::make_shared<Disassembler>(folder.path() / "cuobjdump", nullptr));
  };
  EXPECT_EQ(run().matrix_units, std::nullopt) << "nobody asks for them";
  const auto of_library = use("echo '/*0000*/ HGMMA.64x128x16.F32.BF16 R4 ;'");
  of_library->look_at_library("contestant.so");
  session_.matrix_units = of_library.get();
  EXPECT_THAT(run().matrix_units, testing::Optional(ElementsAre("bf16 (HGMMA)")));

  const auto failing = use("echo no; exit 1");
  failing->look_at_library("contestant.so");
  session_.matrix_units = failing.get();
  const CandidateRecord unknown = run();
  EXPECT_EQ(unknown.matrix_units, std::nullopt);
  EXPECT_THAT(unknown.notes, Contains("its matrix units are not known: cuobjdump failed: no"));

  const auto of_kernels = use("echo '/*0000*/ QGMMA.64x8x32.F32.E4M3.E4M3 R4 ;'");
  session_.matrix_units = of_kernels.get();
  contest_.rehearses = true;
  contest_.rehearsal_report = R"({"kernels": ["AAAA"]})";
  CandidateRecord in_python;
  in_python.python.emplace();
  const auto record = run_candidate(session_, built_, cases_, std::move(in_python));
  ASSERT_TRUE(record);
  EXPECT_THAT(record->matrix_units, testing::Optional(ElementsAre("fp8 e4m3 (QGMMA)")));
}

// An exception leaves the process as it was, so that the other cases are graded.
TEST_F(CandidateRunTest, AnExceptionInTheRehearsalEndsItsCaseAlone) {
  contest_.rehearses = true;
  contest_.info.measures_speed = false;
  for (const char* name : {"small", "odd"}) add_case(name, CaseRole::test);
  int calls = 0;
  contest_.before_call = [&](Role role, const Draw&) {
    if (role != Role::candidate) return;
    const bool raises = ++calls == 2;  // of the rehearsal of "small"
    contest_.candidate_report.fault = raises ? Fault::raised : Fault::none;
    contest_.candidate_report.detail = raises ? "raised KeyError: 3 (mine.py:5, in solution)" : "";
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::runtime_error);
  EXPECT_EQ(record.message, "case 'small': raised KeyError: 3 (mine.py:5, in solution); 1 of 3 cases failed");
  ASSERT_EQ(record.cases.size(), 3u);
  for (const std::size_t sound : {0, 2}) EXPECT_EQ(record.cases[sound].verdict, Verdict::accepted);
  EXPECT_EQ(record.cases[1].verdict, Verdict::runtime_error);
  EXPECT_EQ(record.cases[1].calls, 0);
  EXPECT_GT(record.cases[2].calls, 0);
  EXPECT_EQ(outcome(record, "completion"), CheckOutcome::failed);
}

TEST_F(CandidateRunTest, WhatDoesNotBuildIsNotCalled) {
  built_.status = BuildStatus::compile_error;
  built_.message = "x.cu:3: expected ';'";
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::compile_error);
  EXPECT_EQ(record.message, "x.cu:3: expected ';'");
  EXPECT_EQ(outcome(record, "compile"), CheckOutcome::failed);
  EXPECT_EQ(outcome(record, "signature"), CheckOutcome::not_run);
  EXPECT_EQ(contest_.order, "");
  EXPECT_EQ(record.precision, Precision::none);
}

TEST_F(CandidateRunTest, TheReferenceRunsAloneBeforeAndAfter) {
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_THAT(contest_.order, StartsWith("rrruuo")) << "two that are not queued, for the clock";
  EXPECT_THAT(contest_.order, EndsWith("crrruu"));
  ASSERT_EQ(record.cases.size(), 1u);
  EXPECT_THAT(record.cases[0].reference_before_ms, ElementsAre(2, 2)) << "the first one warms up";
  EXPECT_THAT(record.cases[0].reference_after_ms, ElementsAre(2, 2));
  EXPECT_EQ(outcome(record, "reference_agreement"), CheckOutcome::passed);
  ASSERT_EQ(record.scores.size(), 1u);
  EXPECT_DOUBLE_EQ(record.scores[0].speedup.geometric_mean, 2);
}

// What the protocol takes is little beside a long call, and each costs time.
TEST_F(CandidateRunTest, OfLongCallsAreMadeNoMoreThanAreNeeded) {
  contest_.reference_ms = {60};
  contest_.candidate_ms = {70};
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_THAT(contest_.order, StartsWith("rro"));
  EXPECT_THAT(record.cases[0].reference_before_ms, ElementsAre(60)) << "the first one warms up";
  EXPECT_THAT(record.cases[0].reference_after_ms, ElementsAre(60)) << "it is warm";
  // One that warms up, a block, and one on contents that are hardly new.
  const auto calls_of = [this](char letter) {
    return std::count_if(contest_.order.begin(), contest_.order.end(),
                         [letter](char c) { return std::tolower(c) == letter; });
  };
  EXPECT_EQ(calls_of('c'), 4);
  EXPECT_EQ(calls_of('r'), 2 + 3 + 1);
}

TEST_F(CandidateRunTest, UsualNormsAreLearntOnceInARun) {
  Tensor output;
  output.name = "output";
  output.output = true;
  output.elements = 4;
  output.shape = {4};
  cases_[0].bound.tensors = {output};
  ASSERT_GT(ExpectedScales::draws_of(cases_[0].bound, Precision::fp32), 0);
  const auto learning_calls = [this] {
    return std::count_if(contest_.oracle_draws.begin(), contest_.oracle_draws.end(),
                         [this](const Draw& draw) { return draw.seed != session_.seed; });
  };
  run();
  EXPECT_EQ(learning_calls(), ExpectedScales::draws_of(cases_[0].bound, Precision::fp32));
  contest_.oracle_draws.clear();
  contest_.retired = false;
  run();
  EXPECT_EQ(learning_calls(), 0);
}

TEST_F(CandidateRunTest, ARankedSpeedComesFromFiveProcesses) {
  session_.effort = Effort::ranked;
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(new_processes(), 4);
  EXPECT_EQ(record.cases[0].measurement->processes.size(), 5u);
  EXPECT_EQ(record.cases[0].speedups[0].ratio.count, 5u);
}

TEST_F(CandidateRunTest, OneIsMeasuredInAsManyProcessesAsItsOffsetTakes) {
  session_.effort = Effort::normal;
  contest_.seconds_per_call = 0.001;
  contest_.info.process_offset_ms = 0.0001;
  const CandidateRecord long_one = run();
  EXPECT_EQ(new_processes(), 0);
  EXPECT_LT(long_one.cases[0].speedups[0].ratio.half_width().value(), 0.0003);
  contest_.retired = false;
  contest_.info.process_offset_ms = 0.003;
  const CandidateRecord short_one = run();
  EXPECT_EQ(short_one.verdict, Verdict::accepted) << short_one.message;
  EXPECT_EQ(new_processes(), 2);
  const SpeedRatio& ratio = short_one.cases[0].speedups[0].ratio;
  EXPECT_EQ(ratio.method, Method::pooled_processes);
  EXPECT_EQ(ratio.count, 3u);
  EXPECT_NEAR(std::log1p(ratio.half_width().value()), 1.96 * 0.003 * std::hypot(1, 0.5) / std::sqrt(3), 1e-5);
}

TEST_F(CandidateRunTest, OneThatLoadsOnlyOnceHasFailed) {
  session_.effort = Effort::ranked;
  contest_.before_call = [this](Role role, const Draw&) {
    if (role == Role::candidate) contest_.load_answer = {Fault::ended, "the process ended", {}, {}};
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::runtime_error);
  EXPECT_EQ(outcome(record, "load"), CheckOutcome::failed);
  EXPECT_TRUE(record.scores.empty());
}

TEST_F(CandidateRunTest, TheCandidateHasGoneAndTheDeviceIsSoundBeforeTheReferenceRunsAgain) {
  reference_at_ = [this] {
    if (contest_.order.size() > 3 && contest_.order.find("crr") != std::string::npos) {
      EXPECT_TRUE(contest_.retired);
      EXPECT_EQ(contest_.recoveries, 1);
    }
    return 2.0;
  };
  run();
  EXPECT_TRUE(contest_.retired);
  EXPECT_EQ(contest_.recoveries, 1);
}

TEST_F(CandidateRunTest, ADeviceThatDoesNotRecoverAndAReferenceThatFailsAloneAreNoVerdicts) {
  contest_.recovery = Error{"the device no longer computes what it should", "", {}};
  const auto unhealthy = try_run();
  ASSERT_FALSE(unhealthy.ok());
  EXPECT_THAT(unhealthy.error().message, HasSubstr("no longer computes"));
  session_.known->reference_alone.clear();
  contest_.reference_report.call.error = 700;
  const auto failing = try_run();
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the reference fails on case 'large'"));
}

TEST_F(CandidateRunTest, AReferenceThatIsSlowerBesideTheCandidateMakesItUnstable) {
  reference_at_ = [this] { return beside() && !contest_.retired ? 4.0 : 2.0; };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::unstable);
  EXPECT_EQ(record.message,
            "case 'large': the reference takes 2.000 ms before the candidate has been loaded, up to 4.000 ms "
            "in seven "
            "of eight calls beside it, 2.000 ms after");
  EXPECT_EQ(record.cases[0].verdict, Verdict::unstable);
  EXPECT_EQ(outcome(record, "reference_agreement"), CheckOutcome::failed);
  EXPECT_TRUE(record.scores.empty());
}

TEST_F(CandidateRunTest, AVerdictThatThereIsAlreadyStays) {
  reference_at_ = [this] { return beside() && !contest_.retired ? 4.0 : 2.0; };
  contest_.candidate_comparison = outputs_off_by(0.5);
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(record.cases[0].verdict, Verdict::wrong_answer);
  EXPECT_EQ(outcome(record, "reference_agreement"), CheckOutcome::not_run);
}

TEST_F(CandidateRunTest, WhatTheReferenceTakesAfterOneIsWhatItTakesBeforeTheNext) {
  reference_at_ = [this] { return contest_.retired ? 4.0 : 2.0; };
  EXPECT_EQ(run().verdict, Verdict::accepted)
      << "a reference that is slower only afterwards changes no speed";
  contest_.retired = false;
  session_.known->reference_alone.clear();
  reference_at_ = [this] { return contest_.retired ? 2.125 : 2.0; };
  EXPECT_EQ(run().verdict, Verdict::accepted);
  contest_.retired = false;
  contest_.order.clear();
  const CandidateRecord next = run();
  EXPECT_THAT(contest_.order, StartsWith("o")) << "it is not measured twice";
  EXPECT_THAT(next.cases.at(0).reference_before_ms, ElementsAre(2.125, 2.125));
}

TEST_F(CandidateRunTest, OnlyCasesThatAreMeasuredNeedTheReferenceAlone) {
  cases_.clear();
  add_case("tiny", CaseRole::test);
  add_case("hidden-1", CaseRole::hidden);
  add_case("huge", CaseRole::bench, "not chosen");
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted);
  EXPECT_THAT(contest_.order, StartsWith("o"));
  EXPECT_THAT(contest_.order, EndsWith("c"));
  EXPECT_EQ(outcome(record, "reference_agreement"), CheckOutcome::not_run);
  EXPECT_EQ(outcome(record, "hidden_shapes"), CheckOutcome::passed);
  EXPECT_FALSE(record.cases.at(2).run);
  EXPECT_EQ(record.cases.at(2).message, "not chosen");
}

TEST_F(CandidateRunTest, WhereSpeedIsNotMeasuredTheReferenceIsNotJudged) {
  contest_.info.measures_speed = false;
  contest_.reference_ms = {1, 1, 1, 9};
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_THAT(record.cases.at(0).reference_before_ms, ElementsAre(1, 1));
  EXPECT_THAT(record.cases.at(0).reference_after_ms, ElementsAre(9, 9));
  EXPECT_EQ(outcome(record, "reference_agreement"), CheckOutcome::not_run);
  EXPECT_TRUE(record.scores.empty());
}

TEST_F(CandidateRunTest, WhatGoesWrongWhileLoadingIsSaid) {
  struct Row {
    Fault fault;
    Verdict verdict;
    const char* failed;
  };
  for (const Row& row : {Row{Fault::malformed, Verdict::cheating, "protocol"},
                         {Fault::time_limit, Verdict::time_limit, "load"},
                         {Fault::memory_limit, Verdict::memory_limit, "load"},
                         {Fault::ended, Verdict::runtime_error, "load"}}) {
    contest_.retired = false;
    contest_.load_answer.fault = row.fault;
    contest_.load_answer.detail = "why";
    const CandidateRecord record = run();
    EXPECT_EQ(record.verdict, row.verdict);
    EXPECT_EQ(record.message, "while loading: why");
    EXPECT_EQ(outcome(record, row.failed), CheckOutcome::failed);
    if (row.verdict == Verdict::runtime_error) {
      EXPECT_EQ(outcome(record, "completion"), CheckOutcome::not_run);
    }
    EXPECT_THAT(record.cases, IsEmpty());
    EXPECT_THAT(contest_.order, Not(HasSubstr("c")));
  }
}

TEST_F(CandidateRunTest, TheFirstCaseThatFailsGivesTheVerdict) {
  add_case("hidden-1", CaseRole::hidden);
  contest_.candidate_comparison = outputs_off_by(0.5);
  const CandidateRecord record = run();
  EXPECT_THAT(record.message, StartsWith("case 'hidden-1': ")) << "measured ones come last";
  EXPECT_EQ(outcome(record, "outputs_match"), CheckOutcome::failed);
  EXPECT_EQ(outcome(record, "hidden_shapes"), CheckOutcome::failed);
  EXPECT_EQ(record.precision, Precision::none);
}

// One candidate, one story: the other cases are off by less for the same reason.
TEST_F(CandidateRunTest, BesideAWrongCaseNoCaseIsAMatterOfPrecision) {
  cases_.clear();
  for (const char* name : {"first", "second", "third"}) add_case(name, CaseRole::test);
  int oracle_calls = 0;
  contest_.before_call = [&](Role role, const Draw&) {
    oracle_calls += role == Role::oracle ? 1 : 0;
    // The first case asks the oracle twice more, for the distance to the answer to other inputs.
    contest_.candidate_comparison = outputs_off_by(oracle_calls == 4 ? 0.5 : 3e-4);
  };
  const CandidateRecord record = run();
  EXPECT_THAT(record.cases, Each(Field(&CaseRecord::verdict, Verdict::wrong_answer)));
  EXPECT_THAT(record.cases, Each(Field(&CaseRecord::precision, Precision::none)));
  EXPECT_THAT(record.cases[2].message, MatchesRegex("'.*': off by 3.0e-04 over .*, and fp32 allows .*"));
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_THAT(record.message, StartsWith("case 'second': "));
  EXPECT_EQ(outcome(record, "outputs_match"), CheckOutcome::failed);
  EXPECT_EQ(outcome(record, "precision"), CheckOutcome::not_run);
}

TEST_F(CandidateRunTest, WhatLacksMemoryRunsOnceMoreWithTheDeviceToItself) {
  contest_.candidate_report.fault = Fault::memory_limit;
  for (const bool more_room : {false, true}) {
    contest_.retired = false;
    contest_.turns_make_room = more_room;
    contest_.order.clear();
    EXPECT_EQ(run().verdict, Verdict::memory_limit) << more_room;
    EXPECT_EQ(new_processes() > 0, more_room);
  }
  contest_.retired = false;
  contest_.turns_make_room = true;
  contest_.order.clear();
  contest_.before_call = [this](Role, const Draw&) {
    if (contest_.order.find('|') != std::string::npos)
      contest_.candidate_report = test::FakeContest::clean(1);
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted);
  EXPECT_EQ(outcome(record, "memory"), CheckOutcome::passed);
}

TEST_F(CandidateRunTest, AfterACrashNoCaseRuns) {
  add_case("second", CaseRole::test);
  contest_.candidate_report.call.error = 700;
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::runtime_error);
  EXPECT_TRUE(record.cases.at(1).run);
  EXPECT_FALSE(record.cases[0].run) << "measured ones come last";
  EXPECT_EQ(record.cases[0].message, "not run: the candidate's process is gone");
}

TEST_F(CandidateRunTest, TheSpeedupIsTheGeometricMeanOverMeasuredCases) {
  add_case("larger", CaseRole::bench);
  add_case("tiny", CaseRole::test);
  // It is lent once for each case; in the second of the two measured cases it is faster.
  contest_.before_call = [this](Role, const Draw&) {
    contest_.candidate_ms = {contest_.lent_launches.size() > 2 ? 0.25 : 1};
  };
  const CandidateRecord record = run();
  ASSERT_EQ(record.scores.size(), 1u);
  EXPECT_EQ(record.scores[0].against, "reference");
  EXPECT_DOUBLE_EQ(record.scores[0].speedup.geometric_mean, std::sqrt(2.0 * 8.0));
  EXPECT_EQ(record.scores[0].speedup.count, 2u);
}

// Times never accuse, so a new process would show nothing more.
TEST_F(CandidateRunTest, ACaseIsRunOnceWhateverItsTimesAre) {
  contest_.candidate_hides_ms = 5;
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::unstable) << record.message;
  EXPECT_EQ(outcome(record, "clock"), CheckOutcome::failed);
  EXPECT_EQ(new_processes(), 0);
}

TEST_F(CandidateRunTest, MeasuredCasesRunLastAndStandWhereTheProblemHasThem) {
  add_case("small", CaseRole::test);
  add_case("out", CaseRole::test, "left out");
  std::vector<std::string> seen;
  session_.progress = [&](const std::string& text) {
    const std::string name = text.substr(0, text.find(':'));
    if (seen.empty() || seen.back() != name) seen.push_back(name);
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.cases.at(0).name, "large");
  EXPECT_EQ(record.cases.at(1).name, "small");
  EXPECT_EQ(record.cases.at(2).message, "left out");
  const auto small = std::find(seen.begin(), seen.end(), "small");
  EXPECT_LT(small, std::find(seen.begin(), seen.end(), "large"));
  EXPECT_NE(small, seen.end());
}

class BaselinesToBeFoundTest : public CandidateRunTest {
 protected:
  BaselinesToBeFoundTest() {
    session_.baselines = &baselines_;
    baselines_.search = [this] {
      ++searches_;
      found_at_ = contest_.order;
      candidate_was_there_ = contest_.candidate_alive() && contest_.order.find('c') != std::string::npos;
      baselines_.by_case["large"] = {{"cudnn-fp32", Precision::fp32, 1.5}};
      return trouble_;
    };
  }

  test::FakeBaselines baselines_;
  int searches_ = 0;
  std::string found_at_;  // what had been called
  bool candidate_was_there_ = false;
  Errors trouble_;
};

TEST_F(BaselinesToBeFoundTest, TheyHaveTheDeviceToThemselves) {
  add_case("small", CaseRole::test);
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(searches_, 1);
  EXPECT_FALSE(candidate_was_there_);
  EXPECT_THAT(found_at_, HasSubstr("c")) << "the other cases came first";
  EXPECT_THAT(contest_.order.substr(found_at_.size()), StartsWith("|"));
  EXPECT_EQ(new_processes(), 1);
  ASSERT_EQ(record.cases[0].speedups.size(), 2u);
  EXPECT_EQ(record.cases[0].speedups[1].against, "cudnn-fp32");
}

TEST_F(BaselinesToBeFoundTest, WhereAllIsMeasuredTheyComeBeforeTheCandidate) {
  EXPECT_EQ(run().verdict, Verdict::accepted);
  EXPECT_EQ(searches_, 1);
  EXPECT_THAT(found_at_, Not(HasSubstr("c")));
  EXPECT_EQ(new_processes(), 0);
}

TEST_F(BaselinesToBeFoundTest, WhoIsWrongDoesNotWaitForThem) {
  add_case("small", CaseRole::test);
  contest_.candidate_comparison = outputs_off_by(0.5);
  EXPECT_EQ(run().verdict, Verdict::wrong_answer);
  EXPECT_EQ(searches_, 0);
  EXPECT_EQ(new_processes(), 0);
  contest_.candidate_comparison = test::equal_outputs();
  contest_.retired = false;
  trouble_ = {Error{"the oracle failed", "", {}}};
  EXPECT_FALSE(try_run().ok()) << "what fails there is not the candidate's";
}

TEST_F(BaselinesToBeFoundTest, ACandidateThatDoesNotComeBackIsNotMeasured) {
  add_case("small", CaseRole::test);
  baselines_.search = [this]() -> Errors {
    contest_.load_answer.fault = Fault::ended;
    contest_.load_answer.detail = "signal 11";
    return {};
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::runtime_error);
  EXPECT_EQ(record.message, "while loading: signal 11");
}

}  // namespace candidate_run_test
}  // namespace kgrade
