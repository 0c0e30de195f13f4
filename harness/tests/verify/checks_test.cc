#include "verify/checks.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace kgrade::checks_test {

std::map<std::string, CheckOutcome> outcomes(const CheckList& list) {
  std::map<std::string, CheckOutcome> result;
  for (const Check& check : list.checks()) result[check.name] = check.outcome;
  return result;
}

TEST(CheckList, AFailurePassesWhatCameBeforeAndLeavesWhatComesAfter) {
  CheckList list;
  list.fail("guard_zones", "12 bytes");
  EXPECT_EQ(outcomes(list)["completion"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["guard_zones"], CheckOutcome::failed);
  EXPECT_EQ(outcomes(list)["outputs_match"], CheckOutcome::not_run);
}

TEST(CheckList, AFailureSticksAndTheFirstDetailIsKept) {
  CheckList list;
  list.fail("outputs_match", "first");
  list.fail("outputs_match", "second");
  list.pass_all();
  EXPECT_EQ(outcomes(list)["outputs_match"], CheckOutcome::failed);
  for (const Check& check : list.checks()) {
    EXPECT_EQ(check.detail, check.name == "outputs_match" ? "first" : "");
  }
}

TEST(CheckList, ALaterFailureOverridesAPass) {
  CheckList list;
  list.pass_all();
  list.fail("clock", "late");
  EXPECT_EQ(outcomes(list)["clock"], CheckOutcome::failed);
}

// Hidden shapes, times and the reference are checked only where they apply; all other checks always run.
TEST(CheckList, PassingAllLeavesOutWhatIsNotAlwaysLookedAt) {
  CheckList list;
  list.pass_all();
  bool occasional = false;
  for (const Check& check : list.checks()) {
    occasional = occasional || check.name == first_occasional_check;
    EXPECT_EQ(check.outcome, occasional ? CheckOutcome::not_run : CheckOutcome::passed) << check.name;
  }
  EXPECT_EQ(outcomes(list)["fresh_contents"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["hidden_shapes"], CheckOutcome::not_run);
}

TEST(CheckList, AnOccasionalCheckPassesByItself) {
  CheckList list;
  list.pass("lower_bound");
  for (const auto& [name, outcome] : outcomes(list)) {
    EXPECT_EQ(outcome, name == "lower_bound" ? CheckOutcome::passed : CheckOutcome::not_run) << name;
  }
}

TEST(CheckList, AFailureOfAnOccasionalCheckPassesAllThatAreAlwaysLookedAt) {
  for (const char* failed : {"hidden_shapes", "lower_bound", "steady_clocks", "reference_agreement"}) {
    CheckList list;
    list.fail(failed, "why");
    bool occasional = false;
    for (const Check& check : list.checks()) {
      occasional = occasional || check.name == first_occasional_check;
      const CheckOutcome other = occasional ? CheckOutcome::not_run : CheckOutcome::passed;
      EXPECT_EQ(check.outcome, check.name == failed ? CheckOutcome::failed : other)
          << failed << " " << check.name;
    }
  }
}

TEST(CheckList, WhatHasFailedDoesNotPassAnyMore) {
  CheckList list;
  list.fail("lower_bound", "first");
  list.pass("lower_bound");
  list.pass_all();
  list.pass_before("reference_agreement");
  EXPECT_EQ(outcomes(list)["lower_bound"], CheckOutcome::failed);
  EXPECT_EQ(outcomes(list)["hidden_shapes"], CheckOutcome::passed);
}

TEST(CheckList, PassingBeforeOneLeavesItAndTheRest) {
  CheckList list;
  list.pass_before("completion");
  EXPECT_EQ(outcomes(list)["load"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["libraries"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["completion"], CheckOutcome::not_run);
}

TEST(CheckList, ACheckThatThereIsNotIsABrokenInvariant) {
  CheckList list;
  EXPECT_THROW(list.fail("no_such_check", ""), std::logic_error);
}

TEST(CheckList, EveryVerdictHasACheckThatExists) {
  for (int i = 1; i < 13; ++i) {
    CheckList list;
    EXPECT_NO_THROW(list.fail(check_behind(static_cast<Verdict>(i)), "x")) << i;
  }
}

}  // namespace kgrade::checks_test
