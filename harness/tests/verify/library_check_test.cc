#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grade/candidate_run.h"
#include "tests/support/fake_contest.h"
#include "verify/checks.h"

namespace kgrade::library_check_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

// A candidate that a contest of the test runs.
class LibrariesOfACandidate : public testing::Test {
 protected:
  CandidateRecord run(Libraries allowed) {
    problem_.libraries = allowed;
    Session session{contest_, problem_, 7, Effort::quick, {}, stages_, [](const std::string&) {}};
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
  test::FakeContest contest_{clock_};
  Problem problem_;
};

TEST_F(LibrariesOfACandidate, AreRecordedAndAllowedByDefault) {
  contest_.opened = {"libz.so.1"};
  const CandidateRecord record = run(Libraries::any);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
  EXPECT_THAT(record.libraries.opened, ElementsAre("libz.so.1"));
}

TEST_F(LibrariesOfACandidate, EndTheRunWhereTheyAreForbidden) {
  contest_.opened = {"libnvidia-nvvm.so.4", "libz.so.1"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::cheating);
  EXPECT_EQ(outcome(record), CheckOutcome::failed);
  EXPECT_THAT(record.message, HasSubstr("opens libz.so.1"));
  EXPECT_THAT(record.libraries.opened, ElementsAre("libnvidia-nvvm.so.4", "libz.so.1"));
  EXPECT_THAT(record.cases, IsEmpty());
  EXPECT_TRUE(contest_.retired);
}

TEST_F(LibrariesOfACandidate, PassWhereNoneIsForbiddenAndNoneIsUsed) {
  contest_.opened = {"libnvidia-nvvm.so.4"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
}

}  // namespace kgrade::library_check_test
