// Several candidates side by side, each in a contest that the test controls.
#include "grade/heat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/fake_contest.h"

namespace kgrade {
namespace heat_test {

using test::outputs_off_by;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class HeatTest : public testing::Test {
 protected:
  // A candidate of that time a launch.
  test::FakeContest& add(double milliseconds) {
    test::FakeContest& contest = contests_.emplace_back(clock_);
    contest.candidate_ms = {milliseconds};
    contest.lent_elsewhere = {Role::oracle};
    contest.seconds_per_call = trusted_contest_.seconds_per_call;
    sessions_.push_back(session(contest, 100 + sessions_.size()));
    return contest;
  }

  void add_case(const std::string& name, CaseRole role) {
    PlannedCase planned;
    planned.bound.name = name;
    planned.bound.role = role;
    cases_.push_back(planned);
  }

  Session session(Contest& contest, std::uint64_t seed) {
    Session session{contest, problem_, seed, Effort::quick, {}, stages_, [](const std::string&) {}};
    session.known = known_;
    return session;
  }

  std::vector<HeatResult> run() {
    Session trusted = session(trusted_contest_, 7);
    std::vector<HeatEntry> entries;
    for (Session& own : sessions_) {
      CandidateRecord record;
      record.path = std::to_string(entries.size());
      entries.push_back({own, "", std::move(record)});
    }
    auto results = run_heat(trusted, cases_, std::move(entries));
    EXPECT_TRUE(results.ok()) << to_string(results.errors());
    return results.ok() ? *results : std::vector<HeatResult>();
  }

  static double speedup(const HeatResult& result) {
    return result.record.cases.back().speedups.at(0).ratio.ratio;
  }
  static auto count(const std::string& order, char letter) {
    return std::count_if(order.begin(), order.end(), [letter](char c) { return std::tolower(c) == letter; });
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  Problem problem_;
  test::FakeContest trusted_contest_{clock_};  // the reference takes 2 ms
  std::deque<test::FakeContest> contests_;
  std::deque<Session> sessions_;
  std::shared_ptr<KnownCases> known_ = std::make_shared<KnownCases>();
  std::vector<PlannedCase> cases_;
};

TEST_F(HeatTest, EachHasTheSpeedThatItWouldHaveAlone) {
  add_case("small", CaseRole::test);
  add_case("large", CaseRole::bench);
  const test::FakeContest& fast = add(1);
  const test::FakeContest& slow = add(4);
  const auto results = run();
  ASSERT_EQ(results.size(), 2u);
  for (const HeatResult& result : results) {
    EXPECT_EQ(result.record.verdict, Verdict::accepted) << result.record.message;
    EXPECT_TRUE(result.is_final);
    EXPECT_THAT(result.record.cases[1].reference_before_ms, ElementsAre(2, 2));
    EXPECT_THAT(result.record.cases[1].reference_after_ms, ElementsAre(2, 2));
  }
  EXPECT_DOUBLE_EQ(speedup(results[0]), 2);
  EXPECT_DOUBLE_EQ(speedup(results[1]), 0.5);
  // They share the reference's calls, and nothing else.
  EXPECT_EQ(count(fast.order, 'r'), 0);
  EXPECT_EQ(count(trusted_contest_.order, 'c'), 0);
  EXPECT_EQ(count(fast.order, 'c'), count(slow.order, 'c'));
  EXPECT_EQ(results[0].record.cases[1].measurement->processes[0].blocks.size(),
            results[1].record.cases[1].measurement->processes[0].blocks.size());
}

TEST_F(HeatTest, EachHasContentsOfItsOwnAndTheOraclesAnswerToThem) {
  add_case("small", CaseRole::test);
  add_case("large", CaseRole::bench);
  add(1);
  add(1);
  run();
  for (std::size_t i = 0; i < contests_.size(); ++i) {
    std::optional<Draw> answered;
    for (const Draw& draw : contests_[i].draws) EXPECT_EQ(draw.seed, 100 + i);
    EXPECT_GE(count(contests_[i].order, 'o'), 1);
    EXPECT_EQ(contests_[i].order.front(), 'o') << "a candidate is called on what the oracle has answered";
  }
}

TEST_F(HeatTest, OneThatFailsLeavesAndTheOthersGoOn) {
  add_case("large", CaseRole::bench);
  test::FakeContest& wrong = add(1);
  add(1);
  int calls = 0;
  wrong.before_call = [&](Role role, const Draw&) {
    if (role == Role::candidate && ++calls == 6) wrong.candidate_comparison = outputs_off_by(0.5);
  };
  const auto results = run();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].record.verdict, Verdict::wrong_answer);
  EXPECT_TRUE(results[0].is_final) << "no neighbour can make an answer wrong";
  EXPECT_THAT(results[0].record.cases[0].speedups, IsEmpty());
  EXPECT_EQ(results[1].record.verdict, Verdict::accepted) << results[1].record.message;
  EXPECT_DOUBLE_EQ(speedup(results[1]), 2);
  EXPECT_EQ(calls, 6);
  EXPECT_LT(results[0].record.cases[0].measurement->processes[0].blocks.size(),
            results[1].record.cases[0].measurement->processes[0].blocks.size());
}

TEST_F(HeatTest, ThoseWhoseCallsDifferAreInBlocksOfTheirOwn) {
  add_case("large", CaseRole::bench);
  add(1);
  const test::FakeContest& shortest = add(0.004);
  const auto results = run();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].record.cases[0].measurement->processes[0].launches, 1);
  EXPECT_GT(results[1].record.cases[0].measurement->processes[0].launches, 1);
  EXPECT_EQ(shortest.lent_launches.back(),
            static_cast<std::uint32_t>(results[1].record.cases[0].measurement->processes[0].launches));
  EXPECT_DOUBLE_EQ(speedup(results[0]), 2);
  EXPECT_NEAR(speedup(results[1]), 500, 1e-6);
}

TEST_F(HeatTest, ThoseOfTheSameBlocksAreComparedWithEachOther) {
  add_case("small", CaseRole::test);
  add_case("large", CaseRole::bench);
  for (const double ms : {1.0, 1.25, 0.004}) add(ms);
  add(1).candidate_comparison = outputs_off_by(0.5);
  const auto results = run();
  ASSERT_EQ(results.size(), 4u);
  const auto neighbours = [&](std::size_t i) { return results[i].record.neighbours; };
  ASSERT_EQ(neighbours(0).size(), 1u) << "the third has more launches, and the fourth is wrong";
  EXPECT_EQ(neighbours(0)[0].path, "1");
  EXPECT_DOUBLE_EQ(neighbours(0)[0].speedup.geometric_mean, 1.25);
  ASSERT_EQ(neighbours(0)[0].cases.size(), 1u);
  EXPECT_EQ(neighbours(0)[0].cases[0].name, "large");
  ASSERT_EQ(neighbours(1).size(), 1u);
  EXPECT_EQ(neighbours(1)[0].path, "0");
  EXPECT_DOUBLE_EQ(neighbours(1)[0].speedup.geometric_mean, 0.8);
  EXPECT_THAT(neighbours(2), IsEmpty());
  EXPECT_THAT(neighbours(3), IsEmpty());
}

// Outputs are not captured for two of them, and for the others in every block.
TEST_F(HeatTest, ThoseOfOtherBlocksAreNot) {
  add_case("large", CaseRole::bench);
  for (const bool keeps_lines : {true, false, true, false}) add(1).candidate_report.keeps_lines = keeps_lines;
  const auto results = run();
  ASSERT_EQ(results.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const CandidateRecord& record = results[i].record;
    EXPECT_EQ(record.cases[0].measurement->processes[0].launches, 1);
    ASSERT_EQ(record.neighbours.size(), 1u);
    EXPECT_EQ(record.neighbours[0].path, std::to_string((i + 2) % 4));
  }
}

TEST_F(HeatTest, WhatANeighbourCouldHaveCausedIsNotFinal) {
  add_case("large", CaseRole::bench);
  test::FakeContest& late = add(1);
  late.candidate_report.fault = Fault::time_limit;
  test::FakeContest& broken = add(1);
  broken.candidate_report.call.error = 700;
  add(1);
  const auto results = run();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].record.verdict, Verdict::time_limit);
  EXPECT_FALSE(results[0].is_final);
  EXPECT_EQ(results[1].record.verdict, Verdict::runtime_error);
  EXPECT_FALSE(results[1].is_final);
  EXPECT_EQ(results[2].record.verdict, Verdict::accepted) << results[2].record.message;
  EXPECT_TRUE(results[2].is_final);
}

// Its own low precision comes first in the record, and the later case could have been any.
TEST_F(HeatTest, NorIsItWhereTheVerdictIsThatOfAnotherCase) {
  add_case("small", CaseRole::test);
  add_case("large", CaseRole::bench);
  test::FakeContest& candidate = add(1);
  add(1);
  candidate.candidate_comparison = outputs_off_by(3e-4);
  candidate.before_call = [&](Role, const Draw&) {
    const bool is_second_case = candidate.lent_launches.size() > 1;
    if (is_second_case) candidate.candidate_report.fault = Fault::time_limit;
  };
  const auto results = run();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].record.cases[0].verdict, Verdict::low_precision);
  EXPECT_EQ(results[0].record.cases[1].verdict, Verdict::time_limit);
  EXPECT_EQ(results[0].record.verdict, Verdict::low_precision);
  EXPECT_FALSE(results[0].is_final);
  EXPECT_TRUE(results[1].is_final);
}

TEST_F(HeatTest, OneThatDoesNotLoadPlaysNoCase) {
  add_case("large", CaseRole::bench);
  test::FakeContest& broken = add(1);
  broken.load_answer.fault = Fault::cannot_load;
  add(1);
  const auto results = run();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].record.verdict, Verdict::runtime_error);
  EXPECT_THAT(results[0].record.cases, IsEmpty());
  EXPECT_EQ(broken.order, "");
  EXPECT_EQ(results[1].record.verdict, Verdict::accepted) << results[1].record.message;
}

TEST_F(HeatTest, AReferenceThatIsDisturbedMakesAllUnstable) {
  add_case("large", CaseRole::bench);
  add(1);
  add(1);
  bool beside = false;
  trusted_contest_.before_call = [&](Role, const Draw&) {
    beside = beside || !contests_[0].order.empty();
    trusted_contest_.reference_ms = {beside ? 3.0 : 2.0};
  };
  for (const HeatResult& result : run()) {
    EXPECT_EQ(result.record.verdict, Verdict::unstable);
    EXPECT_FALSE(result.is_final);
  }
}

// They are graded one after the other then.
TEST_F(HeatTest, WithoutRoomThereAreNoResults) {
  add_case("large", CaseRole::bench);
  add(1);
  add(1);
  trusted_contest_.most_launches = 0;
  EXPECT_THAT(run(), IsEmpty());
  EXPECT_TRUE(contests_[0].retired);
  EXPECT_TRUE(contests_[1].retired);
}

TEST_F(HeatTest, ADeviceThatIsNoLongerHealthyIsAnError) {
  add_case("large", CaseRole::bench);
  add(1);
  trusted_contest_.recovery = Error{"it no longer computes what it should", "", {}};
  Session trusted = session(trusted_contest_, 7);
  std::vector<HeatEntry> entries;
  entries.push_back({sessions_.front(), "", {}});
  EXPECT_FALSE(run_heat(trusted, cases_, std::move(entries)).ok());
}

TEST(RoomForHeat, IsWhatTheLargestCaseLeaves) {
  PlannedCase planned;
  Tensor tensor;
  tensor.name = "x";
  tensor.elements = 1 << 28;  // 1 GiB of floats
  tensor.shape = {1 << 28};
  planned.bound.tensors = {tensor};
  const std::uint64_t gigabyte = std::uint64_t{1} << 30;
  EXPECT_EQ(room_for_heat({planned}, 80 * gigabyte, 8), 8u);
  EXPECT_LT(room_for_heat({planned}, 20 * gigabyte, 8), 8u);
  EXPECT_EQ(room_for_heat({planned}, 2 * gigabyte, 8), 1u);
  planned.skipped = "too long";
  EXPECT_EQ(room_for_heat({planned}, 8 * gigabyte, 8), 8u);
}

}  // namespace heat_test
}  // namespace kgrade
