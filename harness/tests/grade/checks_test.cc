#include "grade/checks.h"

#include <gtest/gtest.h>

#include <map>

namespace kgrade {
namespace {

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

TEST(CheckList, EveryVerdictHasACheckThatExists) {
  for (int i = 1; i < 13; ++i) {
    CheckList list;
    EXPECT_NO_THROW(list.fail(check_behind(static_cast<Verdict>(i)), "x")) << i;
  }
}

}  // namespace
}  // namespace kgrade
