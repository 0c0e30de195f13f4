// Oracle, reference and candidate in real workers of the emulated device; all three are the same contestant.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <set>
#include <utility>

#include "contest/contest.h"
#include "contest/protocol.h"
#include "device/device.h"
#include "device/registry.h"
#include "sample_problem.h"

namespace kgrade::test {

// A device with room for so many bytes of buffers, in which another one's lie.
class SmallDevice : public Device {
 public:
  SmallDevice(std::unique_ptr<Device> device, std::uint64_t bytes)
      : device_(std::move(device)), free_(std::make_shared<std::uint64_t>(bytes)) {}

  DeviceInfo info() const override { return device_->info(); }
  std::uint64_t free_bytes() const override { return *free_; }
  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override {
    if (bytes > *free_) return Error{"cannot get so much memory", "", {}};
    auto buffer = device_->allocate(bytes);
    if (!buffer) return buffer;
    return std::unique_ptr<SharedBuffer>(new Buffer(std::move(*buffer), free_));
  }
  void poison(std::span<const Filling> fillings) override { device_->poison(inner(fillings)); }
  using Device::reveal;
  std::chrono::nanoseconds reveal(std::span<const Filling> fillings, GateOpening opening) override {
    return device_->reveal(inner(fillings), opening);
  }
  void begin_inspection(std::span<const Filling> fillings, std::span<const OutputPair> outputs) override {
    pairs_.assign(outputs.begin(), outputs.end());
    for (OutputPair& pair : pairs_) {
      pair.actual = inner(pair.actual);
      pair.expected = inner(pair.expected);
    }
    device_->begin_inspection(inner(fillings), pairs_);
  }
  Inspection end_inspection() override { return device_->end_inspection(); }
  std::uint64_t count_unwritten(const Filling& filling) override {
    return device_->count_unwritten(inner({&filling, 1})[0]);
  }
  std::uint64_t count_wrong(const OutputPair& output, double limit) override {
    OutputPair pair = output;
    pair.actual = inner(pair.actual);
    pair.expected = inner(pair.expected);
    return device_->count_wrong(pair, limit);
  }
  RuleCount count_by_rule(const OutputPair& output, const SetRule& rule) override {
    OutputPair pair = output;
    pair.actual = inner(pair.actual);
    pair.expected = inner(pair.expected);
    return device_->count_by_rule(pair, rule);
  }
  std::vector<double> sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                             Dtype dtype) override {
    return device_->sample(*inner(&buffer), begin, elements, dtype);
  }
  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override {
    device_->read(*inner(&buffer), begin, destination, bytes);
  }
  void write(SharedBuffer& buffer, std::uint64_t begin, const void* source, std::uint64_t bytes) override {
    device_->write(*inner(&buffer), begin, source, bytes);
  }
  std::uint64_t room_to_move() const override { return device_->room_to_move(); }
  std::optional<Error> prove_healthy() override { return device_->prove_healthy(); }
  std::vector<std::string> worker_command() const override { return device_->worker_command(); }

 protected:
  SandboxPolicy worker_policy() const override { return {}; }

 private:
  struct Buffer : SharedBuffer {
    Buffer(std::unique_ptr<SharedBuffer> of_device, std::shared_ptr<std::uint64_t> free)
        : buffer(std::move(of_device)), left(std::move(free)) {
      *left -= buffer->bytes();
    }
    ~Buffer() override { *left += buffer->bytes(); }
    int descriptor() const override { return buffer->descriptor(); }
    int read_only_descriptor() const override { return buffer->read_only_descriptor(); }
    std::uint64_t bytes() const override { return buffer->bytes(); }

    std::unique_ptr<SharedBuffer> buffer;
    std::shared_ptr<std::uint64_t> left;
  };

  static SharedBuffer* inner(SharedBuffer* buffer) { return static_cast<Buffer*>(buffer)->buffer.get(); }
  std::span<const Filling> inner(std::span<const Filling> fillings) {
    fillings_.assign(fillings.begin(), fillings.end());
    for (Filling& filling : fillings_) filling.buffer = inner(filling.buffer);
    return fillings_;
  }

  std::unique_ptr<Device> device_;
  std::shared_ptr<std::uint64_t> free_;
  std::vector<Filling> fillings_;
  std::vector<OutputPair> pairs_;
};

}  // namespace kgrade::test

namespace kgrade {
namespace contest_calls_test {

using test::Behaviour;
using test::sample_elements;

class ContestTest : public testing::Test {
 protected:
  ContestTest() : ContestTest(open()) {}
  explicit ContestTest(std::unique_ptr<Device> device)
      : device_(std::move(device)),
        oracle_(start_runner()),
        reference_(start_runner()),
        contest_(*device_, problem_, *oracle_, reference_.get(), 1) {
    for (ContestantRunner* const runner : {oracle_.get(), reference_.get()}) {
      EXPECT_TRUE(runner->await_ready(ample_patience).ok());
      EXPECT_TRUE(runner->load(SAMPLE_CONTESTANT, ample_patience).ok());
    }
    contest_.set_candidate(start_runner(), SAMPLE_CONTESTANT);
    EXPECT_TRUE(contest_.load_candidate(ample_patience, ample_patience).ok());
  }

  static std::unique_ptr<Device> open() {
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, WORKER_DIRECTORY);
    return std::move(*device);
  }

  std::unique_ptr<ContestantRunner> start_runner() {
    auto runner = ContestantRunner::start(*device_, problem_);
    EXPECT_TRUE(runner.ok()) << to_string(runner.errors());
    return std::move(*runner);
  }

  void lend(Role role, Behaviour behaviour) {
    const auto lent = contest_.lend(role, cases_.emplace_back(test::doubling_case(behaviour)), 1);
    ASSERT_TRUE(lent.ok());
    ASSERT_TRUE(lent->ok()) << lent->detail;
  }

  ElementErrors call(Role role, const Draw& draw) {
    const CallReport report = contest_.call(role, draw, ample_patience);
    EXPECT_EQ(report.fault, Fault::none) << report.detail;
    EXPECT_EQ(report.corruption.guard_bytes, 0u);
    EXPECT_EQ(report.corruption.input_elements, 0u);
    if (role == Role::oracle) {
      EXPECT_TRUE(report.outputs.empty());
      return {};
    }
    EXPECT_EQ(report.outputs.size(), 1u);
    EXPECT_EQ(report.outputs.at(0).tensor, "output");
    EXPECT_EQ(report.outputs.at(0).shape, (std::vector<std::int64_t>{sample_elements / 10, 10}));
    return report.outputs.at(0).errors;
  }

  // How the outputs of reference and candidate compare with the oracle's.
  std::pair<ElementErrors, ElementErrors> play_round(Behaviour candidate, const Draw& draw = {1, 0, 0}) {
    lend(Role::oracle, Behaviour::honest);
    lend(Role::reference, Behaviour::honest);
    lend(Role::candidate, candidate);
    call(Role::oracle, draw);
    const ElementErrors of_reference = call(Role::reference, draw);
    return {of_reference, call(Role::candidate, draw)};
  }

  Problem problem_ = test::doubling();
  std::unique_ptr<Device> device_;
  std::deque<Case> cases_;  // each lease refers to its own
  std::unique_ptr<ContestantRunner> oracle_;
  std::unique_ptr<ContestantRunner> reference_;
  Contest contest_;
};

TEST_F(ContestTest, TheSameContestantGivesTheSameWhoeverPlaysIt) {
  const auto [of_reference, of_candidate] = play_round(Behaviour::honest);
  for (const ElementErrors& errors : {of_reference, of_candidate}) {
    EXPECT_EQ(errors.sum_squared_difference, 0);
    EXPECT_GT(errors.sum_squared_expected, 0);
    EXPECT_EQ(errors.compared, static_cast<std::uint64_t>(sample_elements));
  }
}

TEST_F(ContestTest, OutputsAreHeldAgainstTheOraclesLastCall) {
  play_round(Behaviour::honest, {1, 0, 0});
  call(Role::oracle, {1, 0, 3});
  EXPECT_EQ(call(Role::candidate, {1, 0, 3}).sum_squared_difference, 0);
  EXPECT_GT(call(Role::candidate, {1, 0, 0}).sum_squared_difference, 0) << "a few elements are others";
  EXPECT_GT(call(Role::candidate, {1, 1, 0}).sum_squared_difference, 0);
}

TEST_F(ContestTest, OutputsOfAnotherCaseAreNoExpectedOnes) {
  play_round(Behaviour::honest);
  Case& smaller = cases_.emplace_back(test::doubling_case(Behaviour::honest));
  smaller.integers["n"] = sample_elements / 2;
  for (Tensor& tensor : smaller.tensors) tensor.elements = sample_elements / 2;
  ASSERT_TRUE(contest_.lend(Role::candidate, smaller, 1).ok());
  EXPECT_THROW(contest_.call(Role::candidate, {1, 0, 0}, ample_patience), std::logic_error);
}

TEST_F(ContestTest, OutputsThatAreNotCapturedCountAsTheyAreAndAreCapturedAgainInTheNextCall) {
  play_round(Behaviour::honest);
  call(Role::oracle, {1, 1, 0});
  for (const Role role : {Role::reference, Role::candidate}) {
    const CallReport report = contest_.call_as(role, {false, false}, {1, 1, 0}, ample_patience);
    EXPECT_EQ(report.fault, Fault::none) << report.detail;
    ASSERT_EQ(report.outputs.size(), 1u);
    EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
    EXPECT_EQ(report.outputs[0].errors.compared, static_cast<std::uint64_t>(sample_elements));
    EXPECT_GT(report.call.elapsed_ms, 0);
    EXPECT_GE(report.settled_ms, report.call.elapsed_ms);
  }
  call(Role::oracle, {1, 2, 0});
  for (const Role role : {Role::reference, Role::candidate}) {
    const ElementErrors errors = call(role, {1, 2, 0});
    EXPECT_EQ(errors.sum_squared_difference, 0);
    EXPECT_EQ(errors.compared, static_cast<std::uint64_t>(sample_elements));
  }
}

TEST_F(ContestTest, WrongElementsOfOutputsThatAreNotCapturedAreCountedWhereTheyAre) {
  play_round(Behaviour::wrong);
  contest_.call_as(Role::candidate, {false, false}, {1, 0, 0}, ample_patience);
  EXPECT_EQ(contest_.count_wrong(0, 0.5), 1u);
}

TEST_F(ContestTest, UnqueuedCallsAreComparedAsOthersAre) {
  play_round(Behaviour::honest);
  const CallReport report = contest_.call_as(Role::reference, {false, true}, {1, 0, 0}, ample_patience);
  EXPECT_FALSE(report.queued);
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
}

TEST_F(ContestTest, ADeadCandidateStaysDeadInAnyKindOfCall) {
  play_round(Behaviour::honest);
  contest_.retire_candidate();
  EXPECT_EQ(contest_.call_as(Role::candidate, {false, false}, {1, 0, 0}, ample_patience).fault, Fault::ended);
}

TEST_F(ContestTest, OneWrongElementIsFoundAndCounted) {
  const ElementErrors errors = play_round(Behaviour::wrong).second;
  EXPECT_NEAR(errors.max_abs_difference, 1, 1e-6);
  EXPECT_EQ(errors.worst_index, 0u);
  Magnitudes ones;
  ones.rms = 1;
  contest_.compare_by({ones});
  EXPECT_EQ(contest_.count_wrong(0, 0.01), 1u);
  EXPECT_EQ(contest_.count_wrong(0, 2), 0u);
  EXPECT_EQ(contest_.count_unwritten(0), 0u);
  const RuleCount by_rule = contest_.count_by_rule(0, {0.5, 0});
  EXPECT_EQ(by_rule.elements, static_cast<std::uint64_t>(sample_elements));
  EXPECT_EQ(by_rule.failed, 1u);
  EXPECT_NEAR(by_rule.largest_error, 1, 1e-6);
}

// The same call in a fresh process, on outputs that hold small values, and the answer to the call before.
TEST_F(ContestTest, AnOutputIsReadBackWithWhatAnotherCallAndTheCallBeforeGive) {
  play_round(Behaviour::half, {1, 0, 0});
  call(Role::oracle, {1, 1, 0});
  call(Role::candidate, {1, 1, 0});
  const auto values = contest_.examine(cases_.back(), 0, {1, 1, 0}, Draw{1, 0, 0}, ample_patience);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->tensor, "output");
  const std::size_t half = sample_elements / 2;
  EXPECT_EQ(values->got[0], values->expected[0]);
  EXPECT_EQ(values->again[0], values->expected[0]);
  EXPECT_NE(values->before[0], values->expected[0]);
  EXPECT_FALSE(values->untouched[half - 1]);
  EXPECT_TRUE(values->untouched[half]);
  EXPECT_EQ(values->again[half], values->filled[half]);
  EXPECT_GE(values->filled[half], 1);
  EXPECT_LT(values->filled[half], 2);
}

// One in Python takes seconds to start.
TEST_F(ContestTest, OneFurtherProcessExplainsAllWrongOutputsOfACandidate) {
  const Draw draw{1, 0, 0};
  for (const float calls : {1.0F, 2.0F, 3.0F}) {
    play_round(Behaviour::counts_calls, draw);
    const auto values = contest_.examine(cases_.back(), 0, draw, std::nullopt, ample_patience);
    ASSERT_TRUE(values);
    ASSERT_FALSE(values->again.empty());
    EXPECT_EQ(values->again[0], calls);
    EXPECT_EQ(values->again[1], values->expected[1]);
    contest_.take_back();
  }
  contest_.set_candidate(start_runner(), SAMPLE_CONTESTANT);
  ASSERT_TRUE(contest_.load_candidate(ample_patience, ample_patience).ok());
  play_round(Behaviour::counts_calls, draw);
  const auto values = contest_.examine(cases_.back(), 0, draw, std::nullopt, ample_patience);
  ASSERT_TRUE(values && !values->again.empty());
  EXPECT_EQ(values->again[0], 1) << "of the candidate before";
}

TEST_F(ContestTest, WhatWasNeverWrittenIsWrongAndCounted) {
  play_round(Behaviour::half);
  EXPECT_EQ(contest_.count_wrong(0, 2), static_cast<std::uint64_t>(sample_elements / 2));
  EXPECT_EQ(contest_.count_unwritten(0), static_cast<std::uint64_t>(sample_elements / 2));
}

// A slow reference or baseline ended candidates, since their time counted for the candidate's limit.
TEST_F(ContestTest, OnlyTheCandidatesOwnTimeCounts) {
  CandidateTime time;
  contest_.count_time(&time);
  time.count_for(3);
  lend(Role::oracle, Behaviour::honest);
  lend(Role::reference, Behaviour::honest);
  lend(Role::candidate, Behaviour::honest);
  call(Role::oracle, {1, 0, 0});
  call(Role::reference, {1, 0, 0});
  EXPECT_EQ(time.spent().seconds, 0);
  call(Role::candidate, {1, 0, 0});
  const double of_a_call = time.spent().seconds;
  EXPECT_GT(of_a_call, 0);
  ASSERT_TRUE(contest_.start_anew(ample_patience, ample_patience).ok());
  EXPECT_GT(time.spent().seconds, of_a_call);
  EXPECT_EQ(time.spent().candidate, 3u);
  time.count_for(4);
  EXPECT_EQ(time.spent().seconds, 0);
}

// A device with buffers for two of the three, with what is captured of their outputs.
class ContestOfTwo : public ContestTest {
 protected:
  ContestOfTwo() : ContestTest(std::make_unique<test::SmallDevice>(open(), room_for_two())) {}

  static std::uint64_t room_for_two() {
    const Case bound = test::doubling_case(Behaviour::honest);
    const Problem problem = test::doubling();
    test::SmallDevice large(open(), 1U << 30);
    const auto of_oracle = Lease::make(large, problem, bound, {true, false, 1, true});
    const auto of_another = Lease::make(large, problem, bound, {true, true, 1, false});
    return (1U << 30) - large.free_bytes();
  }
};

TEST_F(ContestOfTwo, ThoseWhoDoNotFitTogetherTakeTurns) {
  for (int round = 0; round < 2; ++round) {
    const auto [of_reference, of_candidate] = play_round(Behaviour::honest);
    EXPECT_TRUE(contest_.takes_turns());
    for (const ElementErrors& errors : {of_reference, of_candidate}) {
      EXPECT_EQ(errors.sum_squared_difference, 0);
      EXPECT_EQ(errors.compared, static_cast<std::uint64_t>(sample_elements));
    }
    call(Role::oracle, {1, 3, 0});
    EXPECT_EQ(call(Role::candidate, {1, 3, 0}).sum_squared_difference, 0);
    EXPECT_GT(call(Role::candidate, {1, 2, 0}).sum_squared_difference, 0);
    contest_.take_back();
    EXPECT_FALSE(contest_.takes_turns());
    EXPECT_EQ(device_->free_bytes(), room_for_two());
  }
}

TEST_F(ContestOfTwo, AFaultBeforeTheTurnsOwnCallIsReported) {
  lend(Role::oracle, Behaviour::honest);
  lend(Role::reference, Behaviour::honest);
  lend(Role::candidate, Behaviour::writes_input);
  call(Role::oracle, {1, 0, 0});
  EXPECT_EQ(contest_.call(Role::candidate, {1, 0, 0}, ample_patience).fault, Fault::ended);
}

TEST_F(ContestTest, ThoseWhoFitDoNotTakeTurns) {
  play_round(Behaviour::honest);
  EXPECT_FALSE(contest_.takes_turns());
}

TEST_F(ContestTest, ASecondLookTellsWhatACrashWasAbout) {
  lend(Role::candidate, Behaviour::writes_input);
  const Draw draw{1, 0, 0};
  EXPECT_EQ(contest_.call(Role::candidate, draw, ample_patience).fault, Fault::ended);
  const Lease::Corruption corruption = contest_.diagnose(cases_.back(), draw, ample_patience);
  EXPECT_EQ(corruption.input_elements, 1u);
  EXPECT_EQ(corruption.input_tensor, "input");
  EXPECT_EQ(corruption.guard_bytes, 0u);
}

TEST_F(ContestTest, ARetiredCandidateIsGoneAndTheDeviceIsAsBefore) {
  play_round(Behaviour::leaves_a_thread);
  EXPECT_TRUE(contest_.candidate_alive());
  contest_.retire_candidate();
  EXPECT_FALSE(contest_.candidate_alive());
  EXPECT_FALSE(contest_.recover());
  lend(Role::reference, Behaviour::honest);
  EXPECT_EQ(contest_.call(Role::reference, {1, 1, 0}, ample_patience).fault, Fault::none);
}

// Calls of several launches, each on its own tensors.
class LaunchesTest : public ContestTest {
 protected:
  void lend_for(std::uint32_t launches, Behaviour candidate = Behaviour::honest) {
    for (const Role role : {Role::oracle, Role::candidate}) {
      const Behaviour behaviour = role == Role::oracle ? Behaviour::honest : candidate;
      const auto lent = contest_.lend(role, cases_.emplace_back(test::doubling_case(behaviour)), launches);
      ASSERT_TRUE(lent.ok() && lent->ok());
    }
  }

  CallReport play(const Draw& draw) {
    EXPECT_EQ(contest_.call(Role::oracle, draw, ample_patience).fault, Fault::none);
    return contest_.call(Role::candidate, draw, ample_patience);
  }
};

TEST_F(LaunchesTest, EachIsHeldAgainstTheOraclesOwn) {
  lend_for(max_launches);
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
  lend_for(4);
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
  lend_for(2);
  EXPECT_EQ(play({1, 0, 0, 5}).outputs.size(), 2u);
}

TEST_F(LaunchesTest, WhatOneDoesBesideItsTensorsIsSeenInEach) {
  lend_for(3, Behaviour::writes_behind);
  const std::uint64_t written = play({1, 0, 0, 3}).corruption.guard_bytes;
  EXPECT_LE(written, 3 * sizeof(float));
  // Once in 256 times, a byte has its old value.
  EXPECT_GT(written, 2 * sizeof(float)) << "one of three was overlooked";
}

TEST_F(LaunchesTest, TheFirstThatFailsIsTheLast) {
  lend_for(3, Behaviour::fails);
  const CallReport report = play({1, 0, 0, 3});
  EXPECT_EQ(report.call.error, 700);
  ASSERT_EQ(report.outputs.size(), 3u);
  EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
  const ElementErrors& last = report.outputs[2].errors;
  EXPECT_TRUE(last.nonfinite_mismatches > 0 || last.max_abs_difference > 0) << "it was not made";
}

TEST_F(LaunchesTest, SmallChangesAreInEach) {
  lend_for(2);
  play({1, 0, 0, 2});
  EXPECT_EQ(contest_.call(Role::oracle, {1, 0, 1, 2}, ample_patience).fault, Fault::none);
  const CallReport report = contest_.call(Role::candidate, {1, 0, 0, 2}, ample_patience);
  ASSERT_EQ(report.outputs.size(), 2u);
  for (const OutputErrors& output : report.outputs) {
    EXPECT_GT(output.errors.sum_squared_difference, 0);
  }
}

TEST_F(LaunchesTest, ACandidateThatIsStartedAnewIsAnotherProcess) {
  lend_for(1);
  play({1, 0, 0});
  auto answer = contest_.start_anew(ample_patience, ample_patience);
  ASSERT_TRUE(answer.ok() && answer->ok()) << answer->detail;
  lend_for(1);
  const CallReport report = play({1, 1, 0});
  ASSERT_EQ(report.outputs.size(), 1u) << report.detail;
  EXPECT_EQ(report.outputs[0].errors.sum_squared_difference, 0);
}

}  // namespace contest_calls_test
}  // namespace kgrade
