// One case in a contest that a test controls.
#pragma once

#include <gtest/gtest.h>

#include "grade/case_run.h"
#include "tests/support/fake_contest.h"

namespace kgrade::test {

class CaseFixture : public testing::Test {
 protected:
  static std::vector<std::string> arm_names(const CaseRecord& record) {
    std::vector<std::string> names;
    for (const Arm& arm : record.arms) names.push_back(arm.name);
    return names;
  }
  static std::vector<double> candidate_ms(const CaseRecord& record) {
    return counted_times(record, record.arms.size() - 1);
  }
  static std::vector<double> reference_ms(const CaseRecord& record) { return counted_times(record, 0); }
  static std::vector<double> repeated_ms(const CaseRecord& record) {
    return times_for(record.candidate(), Purpose::repeated);
  }
  static std::vector<double> unmeasured_ms(const CaseRecord& record) {
    return times_for(record.candidate(), Purpose::warm_up);
  }

  static constexpr std::uint64_t seed = 7;

  CaseFixture() {
    case_.name = "large";
    case_.role = CaseRole::bench;
  }

  CaseRecord run() {
    auto record = try_run();
    EXPECT_TRUE(record.ok()) << to_string(record.errors());
    return record.ok() ? *record : CaseRecord{};
  }

  Result<CaseRecord> try_run() {
    Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
    session.candidate_calls = calls_before_;
    session.launches = launches_;
    session.repeated_case = repeated_case_;
    FakeBaselines baselines;
    baselines.by_case[case_.name] = baselines_;
    baselines.can_activate = [this](const std::string& name, int) {
      active_baseline_ = name;
      return true;
    };
    session.baselines = &baselines;
    session.watch = watch_;
    auto record = run_case(session, case_);
    checks_ = session.checks;
    retired_baselines_ = baselines.retired;
    return record;
  }

  // One block: after that, the time for an interval is used up.
  CaseRecord run_briefly() {
    contest_.seconds_per_call = 10;
    return run();
  }

  CheckOutcome outcome(const std::string& name) {
    for (const Check& check : checks_.checks()) {
      if (check.name == name) return check.outcome;
    }
    ADD_FAILURE() << "no check " << name;
    return CheckOutcome::not_run;
  }

  // The verdict and the one check that caused it.
  void expect_failed(const CaseRecord& record, Verdict verdict, const std::string& name) {
    EXPECT_EQ(record.verdict, verdict) << record.message;
    for (const Check& check : checks_.checks()) {
      EXPECT_EQ(check.outcome == CheckOutcome::failed, check.name == name)
          << check.name << ": " << check.detail;
    }
  }
  void expect_accepted(const CaseRecord& record) { expect_failed(record, Verdict::accepted, ""); }

  FakeClock clock_;
  StageClock stages_{clock_};
  FakeContest contest_{clock_};
  Problem problem_;
  Case case_;
  CheckList checks_;
  Effort effort_ = Effort::normal;
  std::optional<Patience> limit_;
  std::optional<int> launches_;
  std::string repeated_case_;
  std::vector<BaselineChoice> baselines_;
  std::string active_baseline_;
  std::vector<std::string> retired_baselines_;
  BlockWatch* watch_ = nullptr;
  int calls_before_ = 0;  // of the candidate's process, in other cases
};

}  // namespace kgrade::test
