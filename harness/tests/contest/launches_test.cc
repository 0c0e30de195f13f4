// Calls of several launches, each on its own tensors, in real workers of the emulated device.
#include <gtest/gtest.h>

#include <set>

#include "contest/contest.h"
#include "contest/protocol.h"
#include "device/registry.h"
#include "lease_fixture.h"
#include "tests/contest/patience.h"

namespace kgrade {
namespace launches_test {

using test::Behaviour;
using test::sample_elements;

class LaunchesTest : public testing::Test {
 protected:
  LaunchesTest() : device_(open()), oracle_(start_runner()), reference_(start_runner()) {
    contest_.set_candidate(start_runner(false), SAMPLE_CONTESTANT);
    EXPECT_TRUE(contest_.load_candidate(ample_patience, ample_patience).ok());
  }

  static std::unique_ptr<Device> open() {
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, WORKER_DIRECTORY);
    return std::move(*device);
  }

  std::unique_ptr<ContestantRunner> start_runner(bool load = true) {
    auto runner = ContestantRunner::start(*device_, problem_);
    EXPECT_TRUE(runner.ok()) << to_string(runner.errors());
    if (load) {
      EXPECT_TRUE((*runner)->await_ready(ample_patience).ok());
      EXPECT_TRUE((*runner)->load(SAMPLE_CONTESTANT, ample_patience).ok());
    }
    return std::move(*runner);
  }

  void lend(std::uint32_t launches, Behaviour candidate = Behaviour::honest) {
    misbehaving_ = test::doubling_case(candidate);
    for (const Role role : {Role::oracle, Role::candidate}) {
      const Case& bound = role == Role::oracle ? honest_ : misbehaving_;
      const auto lent = contest_.lend(role, bound, launches);
      ASSERT_TRUE(lent.ok() && lent->ok());
    }
  }

  CallReport play(const Draw& draw) {
    EXPECT_EQ(contest_.call(Role::oracle, draw, ample_patience).fault, Fault::none);
    return contest_.call(Role::candidate, draw, ample_patience);
  }

  Problem problem_ = test::doubling();
  Case honest_ = test::doubling_case(Behaviour::honest);
  Case misbehaving_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<ContestantRunner> oracle_;
  std::unique_ptr<ContestantRunner> reference_;
  Contest contest_{*device_, problem_, *oracle_, reference_.get(), 1};
};

TEST_F(LaunchesTest, EachIsHeldAgainstTheOraclesOwn) {
  lend(max_launches);
  const CallReport report = play({1, 0, 0, max_launches});
  ASSERT_EQ(report.fault, Fault::none) << report.detail;
  ASSERT_EQ(report.outputs.size(), max_launches);
  std::set<double> sums;
  for (const OutputErrors& output : report.outputs) {
    EXPECT_EQ(output.tensor, "output");
    EXPECT_EQ(output.errors.compared, static_cast<std::uint64_t>(sample_elements));
    EXPECT_EQ(output.errors.sum_squared_difference, 0);
    sums.insert(output.errors.sum_squared_expected);
  }
  EXPECT_EQ(sums.size(), max_launches) << "no two have the same contents";
}

TEST_F(LaunchesTest, ACallMayHaveFewerThanThereIsRoomFor) {
  lend(4);
  for (const std::uint32_t launches : {4u, 1u, 3u}) {
    const CallReport report = play({1, launches, 0, launches});
    ASSERT_EQ(report.fault, Fault::none) << report.detail;
    ASSERT_EQ(report.outputs.size(), launches);
    for (const OutputErrors& output : report.outputs) {
      EXPECT_EQ(output.errors.sum_squared_difference, 0);
    }
    EXPECT_EQ(report.corruption.guard_bytes, 0u) << "those that are left out are not touched";
    EXPECT_EQ(report.corruption.input_elements, 0u);
  }
}

TEST_F(LaunchesTest, MoreThanThereIsRoomForAreNotMade) {
  lend(2);
  EXPECT_EQ(play({1, 0, 0, 5}).outputs.size(), 2u);
}

TEST_F(LaunchesTest, WhatOneDoesBesideItsTensorsIsSeenInEach) {
  lend(3, Behaviour::writes_behind);
  const std::uint64_t written = play({1, 0, 0, 3}).corruption.guard_bytes;
  EXPECT_LE(written, 3 * sizeof(float));
  // Once in 256 times, a byte has its old value.
  EXPECT_GT(written, 2 * sizeof(float)) << "one of three was overlooked";
}

TEST_F(LaunchesTest, TheFirstThatFailsIsTheLast) {
  lend(3, Behaviour::fails);
  const CallReport report = play({1, 0, 0, 3});
  EXPECT_EQ(report.call.error, 700);
  ASSERT_EQ(report.outputs.size(), 3u);
  EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
  const ElementErrors& last = report.outputs[2].errors;
  EXPECT_TRUE(last.nonfinite_mismatches > 0 || last.max_abs_difference > 0) << "it was not made";
}

TEST_F(LaunchesTest, SmallChangesAreInEach) {
  lend(2);
  play({1, 0, 0, 2});
  EXPECT_EQ(contest_.call(Role::oracle, {1, 0, 1, 2}, ample_patience).fault, Fault::none);
  const CallReport report = contest_.call(Role::candidate, {1, 0, 0, 2}, ample_patience);
  ASSERT_EQ(report.outputs.size(), 2u);
  for (const OutputErrors& output : report.outputs) {
    EXPECT_GT(output.errors.sum_squared_difference, 0);
  }
}

TEST_F(LaunchesTest, ACandidateThatIsStartedAnewIsAnotherProcess) {
  lend(1);
  play({1, 0, 0});
  auto answer = contest_.start_anew(ample_patience, ample_patience);
  ASSERT_TRUE(answer.ok() && answer->ok()) << answer->detail;
  lend(1);
  const CallReport report = play({1, 1, 0});
  ASSERT_EQ(report.outputs.size(), 1u) << report.detail;
  EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
}

class LaunchLeaseTest : public test::LeaseFixture {};

TEST_F(LaunchLeaseTest, LaunchesHavePlacesAndPoisonOfTheirOwn) {
  LeaseTerms terms;
  terms.moves = true;
  terms.launches = 2;
  lease_ = make(terms);
  refresh({1, 0, 0, 2}, 1);
  const CallSlots first = lease_->slots(0);
  const CallSlots second = lease_->slots(1);
  ASSERT_EQ(first.slots.size(), second.slots.size());
  EXPECT_EQ(first.slots[1].value, second.slots[1].value) << "scalars are the same";
  int differ = 0;
  for (std::uint32_t call = 2; call < 10; ++call) {
    refresh({1, call, 0, 2}, call);
    differ += lease_->slots(0).slots[0].value != lease_->slots(1).slots[0].value ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
  ASSERT_EQ(lease_->outputs().size(), 2u);
  EXPECT_NE(read(lease_->outputs()[0]), read(lease_->outputs()[1])) << "poison";
  EXPECT_EQ(lease_->unwritten_elements(1), 1010u);
}

}  // namespace launches_test
}  // namespace kgrade
