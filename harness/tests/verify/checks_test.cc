#include "verify/checks.h"

#include <gmock/gmock.h>

#include <map>
#include <stdexcept>

#include "grade/candidate_run.h"
#include "tests/support/fake_arena.h"

namespace kgrade::checks_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

const LibraryUse runtime_only = {{"libm.so.6", "libc.so.6"}, {"libnvidia-ptxjitcompiler.so.1"}};

TEST(ForbiddenLibrary, IsNoneWhereTheProblemAllowsAny) {
  EXPECT_FALSE(forbidden_library(Libraries::any, {{"libcublas.so.13"}, {"libz.so.1"}}).has_value());
}

TEST(ForbiddenLibrary, IsNoneOfRuntimeAndDriver) {
  EXPECT_FALSE(forbidden_library(Libraries::none, runtime_only).has_value());
  EXPECT_FALSE(forbidden_library(Libraries::none, {}).has_value());
}

TEST(ForbiddenLibrary, IsTheFirstThatIsLinkedOrOpened) {
  LibraryUse used = runtime_only;
  used.opened.push_back("libcublas.so.13");
  EXPECT_EQ(forbidden_library(Libraries::none, used),
            "opens libcublas.so.13, and the problem allows no libraries");
  used.linked.push_back("libgmp.so.10");
  EXPECT_EQ(forbidden_library(Libraries::none, used),
            "links libgmp.so.10, and the problem allows no libraries");
}

// A candidate that an arena of the test runs.
class LibrariesOfACandidate : public testing::Test {
 protected:
  CandidateRecord run(Libraries allowed) {
    problem_.libraries = allowed;
    Session session{arena_, problem_, 7, Effort::quick, {}, stages_, [](const std::string&) {}};
    BuildOutcome built;
    built.status = BuildStatus::built;
    Case bound;
    bound.name = "tiny";
    auto record = run_candidate(session, built, {{bound, ""}}, {});
    EXPECT_TRUE(record.ok()) << to_string(record.errors());
    return record ? *record : CandidateRecord{};
  }

  static CheckOutcome outcome(const CandidateRecord& record) {
    for (const Check& check : record.checks) {
      if (check.name == "libraries") return check.outcome;
    }
    return CheckOutcome::not_run;
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  test::FakeArena arena_{clock_};
  Problem problem_;
};

TEST_F(LibrariesOfACandidate, AreRecordedAndAllowedByDefault) {
  arena_.opened = {"libz.so.1"};
  const CandidateRecord record = run(Libraries::any);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
  EXPECT_THAT(record.libraries.opened, ElementsAre("libz.so.1"));
}

TEST_F(LibrariesOfACandidate, EndTheRunWhereTheyAreForbidden) {
  arena_.opened = {"libnvidia-nvvm.so.4", "libz.so.1"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::cheating);
  EXPECT_EQ(outcome(record), CheckOutcome::failed);
  EXPECT_THAT(record.message, HasSubstr("opens libz.so.1"));
  EXPECT_THAT(record.libraries.opened, ElementsAre("libnvidia-nvvm.so.4", "libz.so.1"));
  EXPECT_THAT(record.cases, IsEmpty());
  EXPECT_TRUE(arena_.retired);
}

TEST_F(LibrariesOfACandidate, PassWhereNoneIsForbiddenAndNoneIsUsed) {
  arena_.opened = {"libnvidia-nvvm.so.4"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
}

}  // namespace kgrade::checks_test
