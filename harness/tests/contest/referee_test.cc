// Oracle, reference and candidate in real workers of the emulated device; all three are the same contestant.
#include "contest/referee.h"

#include <gtest/gtest.h>

#include <deque>

#include "device/registry.h"
#include "sample_problem.h"
#include "tests/contest/patience.h"

namespace kgrade {
namespace {

using test::Behaviour;
using test::sample_elements;

class RefereeTest : public testing::Test {
 protected:
  RefereeTest()
      : device_(open()),
        oracle_(take_seat()),
        reference_(take_seat()),
        referee_(*device_, problem_, *oracle_, *reference_) {
    for (Seat* const seat : {oracle_.get(), reference_.get()}) {
      EXPECT_TRUE(seat->await_ready(patience).ok());
      EXPECT_TRUE(seat->load(SAMPLE_CONTESTANT, patience).ok());
    }
    referee_.seat_candidate(take_seat(), SAMPLE_CONTESTANT);
    EXPECT_TRUE(referee_.load_candidate(patience, patience).ok());
  }

  static std::unique_ptr<Device> open() {
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, WORKER_DIRECTORY);
    return std::move(*device);
  }

  std::unique_ptr<Seat> take_seat() {
    auto seat = Seat::take(*device_, problem_);
    EXPECT_TRUE(seat.ok()) << to_string(seat.errors());
    return std::move(*seat);
  }

  void lend(Role role, Behaviour behaviour) {
    const auto seated = referee_.lend(role, cases_.emplace_back(test::doubling_case(behaviour)), 1);
    ASSERT_TRUE(seated.ok());
    ASSERT_TRUE(seated->ok()) << seated->detail;
  }

  Comparison call(Role role, const Draw& draw) {
    const CallReport report = referee_.call(role, draw, patience);
    EXPECT_EQ(report.fault, Fault::none) << report.detail;
    EXPECT_EQ(report.damage.guard_bytes, 0u);
    EXPECT_EQ(report.damage.input_elements, 0u);
    if (role == Role::oracle) {
      EXPECT_TRUE(report.outputs.empty());
      return {};
    }
    EXPECT_EQ(report.outputs.size(), 1u);
    EXPECT_EQ(report.outputs.at(0).tensor, "output");
    EXPECT_EQ(report.outputs.at(0).shape, (std::vector<std::int64_t>{sample_elements / 10, 10}));
    return report.outputs.at(0).comparison;
  }

  // How the outputs of reference and candidate compare with the oracle's.
  std::pair<Comparison, Comparison> play_round(Behaviour candidate, const Draw& draw = {1, 0, 0}) {
    lend(Role::oracle, Behaviour::honest);
    lend(Role::reference, Behaviour::honest);
    lend(Role::candidate, candidate);
    call(Role::oracle, draw);
    const Comparison of_reference = call(Role::reference, draw);
    return {of_reference, call(Role::candidate, draw)};
  }

  Problem problem_ = test::doubling();
  std::unique_ptr<Device> device_;
  std::deque<Case> cases_;  // leases keep references to theirs
  std::unique_ptr<Seat> oracle_;
  std::unique_ptr<Seat> reference_;
  Referee referee_;
};

TEST_F(RefereeTest, TheSameContestantGivesTheSameWhoeverPlaysIt) {
  const auto [of_reference, of_candidate] = play_round(Behaviour::honest);
  for (const Comparison& comparison : {of_reference, of_candidate}) {
    EXPECT_EQ(comparison.sum_squared_difference, 0);
    EXPECT_GT(comparison.sum_squared_expected, 0);
    EXPECT_EQ(comparison.compared, static_cast<std::uint64_t>(sample_elements));
  }
}

TEST_F(RefereeTest, OutputsAreHeldAgainstTheOraclesLastCall) {
  play_round(Behaviour::honest, {1, 0, 0});
  call(Role::oracle, {1, 0, 3});
  EXPECT_EQ(call(Role::candidate, {1, 0, 3}).sum_squared_difference, 0);
  EXPECT_GT(call(Role::candidate, {1, 0, 0}).sum_squared_difference, 0) << "a few elements are others";
  EXPECT_GT(call(Role::candidate, {1, 1, 0}).sum_squared_difference, 0);
}

TEST_F(RefereeTest, OutputsOfAnotherCaseAreNoExpectedOnes) {
  play_round(Behaviour::honest);
  Case& smaller = cases_.emplace_back(test::doubling_case(Behaviour::honest));
  smaller.integers["n"] = sample_elements / 2;
  for (Tensor& tensor : smaller.tensors) tensor.elements = sample_elements / 2;
  ASSERT_TRUE(referee_.lend(Role::candidate, smaller, 1).ok());
  EXPECT_THROW(referee_.call(Role::candidate, {1, 0, 0}, patience), std::logic_error);
}

TEST_F(RefereeTest, OutputsThatAreNotCapturedCountAsTheyAreAndAreCapturedAgainInTheNextCall) {
  play_round(Behaviour::honest);
  call(Role::oracle, {1, 1, 0});
  for (const Role role : {Role::reference, Role::candidate}) {
    const CallReport report = referee_.call_as(role, {false, false}, {1, 1, 0}, patience);
    EXPECT_EQ(report.fault, Fault::none) << report.detail;
    ASSERT_EQ(report.outputs.size(), 1u);
    EXPECT_EQ(report.outputs[0].comparison.sum_squared_difference, 0);
    EXPECT_EQ(report.outputs[0].comparison.compared, static_cast<std::uint64_t>(sample_elements));
    EXPECT_GT(report.elapsed_ms, 0);
    EXPECT_GE(report.settled_ms, report.elapsed_ms);
  }
  call(Role::oracle, {1, 2, 0});
  for (const Role role : {Role::reference, Role::candidate}) {
    const Comparison comparison = call(role, {1, 2, 0});
    EXPECT_EQ(comparison.sum_squared_difference, 0);
    EXPECT_EQ(comparison.compared, static_cast<std::uint64_t>(sample_elements));
  }
}

TEST_F(RefereeTest, WrongElementsOfOutputsThatAreNotCapturedAreCountedWhereTheyAre) {
  play_round(Behaviour::wrong);
  referee_.call_as(Role::candidate, {false, false}, {1, 0, 0}, patience);
  EXPECT_EQ(referee_.count_wrong(0, 0.5), 1u);
}

TEST_F(RefereeTest, UnqueuedCallsAreComparedAsOthersAre) {
  play_round(Behaviour::honest);
  const CallReport report = referee_.call_as(Role::reference, {false, true}, {1, 0, 0}, patience);
  EXPECT_FALSE(report.queued);
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].comparison.sum_squared_difference, 0);
}

TEST_F(RefereeTest, ADeadCandidateStaysDeadInAnyKindOfCall) {
  play_round(Behaviour::honest);
  referee_.retire_candidate();
  EXPECT_EQ(referee_.call_as(Role::candidate, {false, false}, {1, 0, 0}, patience).fault, Fault::ended);
}

TEST_F(RefereeTest, OneWrongElementIsFoundAndCounted) {
  const Comparison comparison = play_round(Behaviour::wrong).second;
  EXPECT_NEAR(comparison.max_abs_difference, 1, 1e-6);
  EXPECT_EQ(comparison.worst_index, 0u);
  EXPECT_EQ(referee_.count_wrong(0, 0.5), 1u);
  EXPECT_EQ(referee_.count_wrong(0, 2), 0u);
  EXPECT_EQ(referee_.count_unwritten(0), 0u);
}

TEST_F(RefereeTest, WhatWasNeverWrittenIsWrongAndCounted) {
  play_round(Behaviour::half);
  EXPECT_EQ(referee_.count_wrong(0, 2), static_cast<std::uint64_t>(sample_elements / 2));
  EXPECT_EQ(referee_.count_unwritten(0), static_cast<std::uint64_t>(sample_elements / 2));
}

TEST_F(RefereeTest, ASecondLookTellsWhatACrashWasAbout) {
  lend(Role::candidate, Behaviour::writes_input);
  const Draw draw{1, 0, 0};
  EXPECT_EQ(referee_.call(Role::candidate, draw, patience).fault, Fault::ended);
  const Lease::Damage damage = referee_.diagnose(cases_.back(), draw, patience);
  EXPECT_EQ(damage.input_elements, 1u);
  EXPECT_EQ(damage.input_tensor, "input");
  EXPECT_EQ(damage.guard_bytes, 0u);
}

TEST_F(RefereeTest, ARetiredCandidateIsGoneAndTheDeviceIsAsBefore) {
  play_round(Behaviour::leaves_a_thread);
  EXPECT_TRUE(referee_.candidate_alive());
  referee_.retire_candidate();
  EXPECT_FALSE(referee_.candidate_alive());
  EXPECT_FALSE(referee_.recover());
  lend(Role::reference, Behaviour::honest);
  EXPECT_EQ(referee_.call(Role::reference, {1, 1, 0}, patience).fault, Fault::none);
}

}  // namespace
}  // namespace kgrade
