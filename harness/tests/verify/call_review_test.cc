#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "verify/checks.h"
#include "verify/judgement.h"

namespace kgrade::call_review_test {

using testing::HasSubstr;
using testing::Not;

CallReport clean_report() {
  CallReport report;
  report.call.elapsed_ms = 1;
  report.wall_ms = 1.3;
  return report;
}

Verdict verdict_of(const CallReport& report) {
  const auto finding = review_call(report);
  return finding ? finding->verdict : Verdict::accepted;
}

TEST(CallReview, ACleanCallHasNoFinding) { EXPECT_FALSE(review_call(clean_report())); }

TEST(CallReview, FaultsBecomeVerdicts) {
  CallReport report = clean_report();
  report.fault = Fault::ended;
  EXPECT_EQ(verdict_of(report), Verdict::runtime_error);
  report.fault = Fault::time_limit;
  EXPECT_EQ(verdict_of(report), Verdict::time_limit);
  report.fault = Fault::malformed;
  EXPECT_EQ(verdict_of(report), Verdict::cheating);
  report.fault = Fault::no_memory;
  EXPECT_EQ(verdict_of(report), Verdict::memory_limit);
  report.fault = Fault::memory_limit;
  EXPECT_EQ(verdict_of(report), Verdict::memory_limit);
  EXPECT_EQ(review_call(report)->check, "memory");
  report.fault = Fault::stack_overflow;
  EXPECT_EQ(verdict_of(report), Verdict::runtime_error);
  EXPECT_FALSE(is_crash(report)) << "there is nothing to find out";
}

TEST(CallReview, ASignalFromOutsideIsNoticed) {
  CallReport report = clean_report();
  report.fault = Fault::killed;
  EXPECT_EQ(verdict_of(report), Verdict::runtime_error);
  EXPECT_TRUE(review_call(report)->killed);
  EXPECT_TRUE(is_crash(report));
  report.fault = Fault::ended;
  EXPECT_FALSE(review_call(report)->killed);
}

TEST(CallReview, WhatFailsBesideTheCandidateIsTheMachinesOrTheProblems) {
  Problem problem;
  problem.path = "problems/one.md";
  problem.cases.resize(1);
  problem.cases[0].name = "tiny";
  problem.cases[0].location = {"problems/one.md", 17, 5};
  Case bound;
  bound.name = "tiny";
  const auto place = [&](const CallFinding& finding) {
    const Error error = trusted_failure("reference", problem, bound, finding);
    EXPECT_EQ(error.blame, error.location.file.empty() ? Blame::machine : Blame::user);
    return error.location;
  };
  EXPECT_EQ(place({Verdict::wrong_answer, "outputs_match", "off"}).line, 17);
  EXPECT_EQ(place({Verdict::runtime_error, "completion", "signal 11"}).line, 17);
  EXPECT_EQ(place({Verdict::runtime_error, "completion", "signal 9", true}).file, "");
  EXPECT_EQ(place({Verdict::memory_limit, "memory", "none"}).file, "");
  bound.name = "hidden-1";
  EXPECT_EQ(place({Verdict::wrong_answer, "outputs_match", "off"}).file, "problems/one.md");
}

TEST(CallReview, AnIllConditionedFileIsNamedWithWhatCanBeDone) {
  Problem problem;
  problem.path = "23_Softmax.py";
  problem.reference = "23_Softmax.py";
  problem.precision = "fp32";
  problem.thresholds.fp32 = 1e-5;
  problem.thresholds.tf32 = 1e-3;
  Case bound;
  bound.name = "kernelbench";
  Judgement judgement;
  judgement.relative_error = 3.2e-4;
  judgement.element_limit = element_factor * 1e-5;
  const Error error = ill_conditioned(problem, bound, "output", judgement);
  EXPECT_THAT(error.message,
              HasSubstr("'output' is ill-conditioned: Model in float32 is off by 3.2e-04 from float64, "
                        "and fp32 allows 1e-05; no candidate can be judged in this class"));
  EXPECT_THAT(error.remedy, HasSubstr("# kgrade: precision tf32"));
  EXPECT_EQ(error.location.file, "23_Softmax.py");
  judgement.decided_by = ErrorFigure::element;
  EXPECT_THAT(ill_conditioned(problem, bound, "output", judgement).message, HasSubstr("single elements"));
  problem.precision = "bf16";
  EXPECT_EQ(ill_conditioned(problem, bound, "output", judgement).remedy,
            "give it other inputs, as with --inputs 'normal(0, 2)'");
}

TEST(CallReview, InSixteenBitsAModelMayUseHalfOfTheLowestBound) {
  Problem problem;
  problem.reference = "23_Softmax.py";
  problem.dtype = Dtype::float16;
  problem.precision = "fp32";  // that a candidate asks for
  problem.thresholds = default_thresholds(Dtype::float16);
  const auto verdict = [&problem](double error) {
    ElementErrors errors;
    errors.compared = 100;
    errors.sum_squared_expected = 100;
    errors.sum_squared_difference = 100 * error * error;
    errors.max_abs_difference = errors.max_scaled_difference = error;
    return judge_reference({"output", {100}, errors}, 0, problem, Case(), ExpectedScales()).verdict;
  };
  EXPECT_EQ(verdict(4.9e-3), Verdict::accepted);
  EXPECT_NE(verdict(5.1e-3), Verdict::accepted);
  problem.dtype = Dtype::float32;
  EXPECT_NE(verdict(4.9e-3), Verdict::accepted);
  problem.reference.clear();
  EXPECT_NE(verdict(4.9e-3), Verdict::accepted);
}

TEST(CallReview, CudaErrorsAreRuntimeErrorsButForMemory) {
  CallReport report = clean_report();
  report.call.error = 700;
  EXPECT_EQ(verdict_of(report), Verdict::runtime_error);
  EXPECT_TRUE(is_crash(report));
  report.call.error = 9;
  EXPECT_EQ(verdict_of(report), Verdict::runtime_error);
  EXPECT_FALSE(is_crash(report));
  report.call.error = 2;
  EXPECT_EQ(verdict_of(report), Verdict::memory_limit);
  EXPECT_THAT(review_call(report)->message, Not(HasSubstr("iB")));
  report.call.limit_bytes = std::uint64_t{2} << 30;
  EXPECT_THAT(review_call(report)->message, HasSubstr("2.0 GiB"));
}

TEST(CallReview, TimesThatNoClockHasAreForged) {
  for (const double elapsed : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CallReport report = clean_report();
    report.call.elapsed_ms = elapsed;
    EXPECT_EQ(verdict_of(report), Verdict::cheating) << elapsed;
  }
}

TEST(CallReview, OneThatSpeaksOutOfTurnCheats) {
  CallReport report = clean_report();
  report.fault = Fault::malformed;
  report.detail = "a message that is none";
  EXPECT_EQ(review_call(report)->check, "protocol");
  EXPECT_EQ(review_call(report)->message, "a message that is none");
}

// Another program may keep it busy.
TEST(CallReview, ADeviceThatStaysBusyIsUnstable) {
  CallReport report = clean_report();
  report.fault = Fault::busy;
  EXPECT_EQ(verdict_of(report), Verdict::unstable);
  EXPECT_EQ(review_call(report)->check, "idle");
  EXPECT_FALSE(is_crash(report));
}

TEST(CallReview, AThreadThatIsLeftOfACallIsCheating) {
  CallReport report = clean_report();
  report.threads_left = 1;
  EXPECT_EQ(verdict_of(report), Verdict::cheating);
  EXPECT_EQ(review_call(report)->check, "idle");
  EXPECT_EQ(review_call(report)->message, "1 thread of its own is left when a call is over");
  report.threads_left = 3;
  EXPECT_EQ(review_call(report)->message, "3 threads of its own are left when a call is over");
}

// A device that was busy before one call may have been busy with other work: only all calls together can
// tell.
TEST(CallReview, ASingleWaitIsNoFinding) {
  CallReport report = clean_report();
  report.waited_ms = 10;
  EXPECT_FALSE(review_call(report));
}

TEST(CallReview, DamageIsNamedWithItsTensor) {
  CallReport report = clean_report();
  report.corruption = {0, "", 3, "kernel"};
  EXPECT_EQ(verdict_of(report), Verdict::input_modified);
  EXPECT_THAT(review_call(report)->message, HasSubstr("'kernel'"));
  report.corruption = {12, "output", 3, "kernel"};
  EXPECT_EQ(verdict_of(report), Verdict::out_of_bounds);
  report.threads_left = 1;
  EXPECT_EQ(verdict_of(report), Verdict::out_of_bounds) << "what was done counts more than what is left";
}

TEST(CallReview, ACrashIsExplainedByWhatAWritableRunChanged) {
  const CallFinding crash{Verdict::runtime_error, "device_errors", "CUDA error 700"};
  EXPECT_EQ(explain_crash(crash, {}).verdict, Verdict::runtime_error);
  const CallFinding modified = explain_crash(crash, {0, "", 5, "input"});
  EXPECT_EQ(modified.verdict, Verdict::input_modified);
  EXPECT_THAT(modified.message, HasSubstr("CUDA error 700"));
}

TEST(CallReview, CoordinatesAreRowMajor) {
  EXPECT_EQ(coordinates(0, {2, 3, 4}), "[0, 0, 0]");
  EXPECT_EQ(coordinates(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(coordinates(5, {7}), "[5]");
}

}  // namespace kgrade::call_review_test
