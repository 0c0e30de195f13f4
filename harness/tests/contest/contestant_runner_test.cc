// A contestant in the real worker of the emulated device, as the referee sees its calls.
#include "contest/contestant_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/temporary_directory.h"
#include "device/registry.h"
#include "sample_problem.h"

namespace kgrade {
namespace contestant_runner_test {

using test::Behaviour;
using test::sample_elements;
using testing::HasSubstr;

constexpr std::uint64_t poison_key = 99;

class ContestantRunnerTest : public testing::Test {
 protected:
  ContestantRunnerTest() {
    auto device = open_device({DeviceChoice::Kind::emulated, 0}, WORKER_DIRECTORY);
    device_ = std::move(*device);
    start_runner();
  }

  void start_runner() {
    auto runner = ContestantRunner::start(*device_, problem_);
    ASSERT_TRUE(runner.ok()) << to_string(runner.errors());
    runner_ = std::move(*runner);
    ASSERT_TRUE(runner_->await_ready(ample_patience).ok());
  }

  void lend(Behaviour behaviour, std::int64_t elements = sample_elements) {
    case_ = test::doubling_case(behaviour);
    case_.integers["n"] = elements;
    case_.tensors[0].shape = case_.tensors[1].shape = {elements};
    case_.tensors[0].elements = case_.tensors[1].elements = elements;
    const auto lent = runner_->lend(case_, false, {true, true}, ample_patience);
    ASSERT_TRUE(lent.ok());
    ASSERT_TRUE(lent->ok()) << lent->detail;
  }

  CallReport call() { return runner_->checked_call({1, ++calls_}, poison_key, calls_, ample_patience); }

  CallReport first_call(Behaviour behaviour) {
    const Answer loaded = runner_->load(SAMPLE_CONTESTANT, ample_patience);
    EXPECT_TRUE(loaded.ok()) << loaded.detail;
    lend(behaviour);
    return call();
  }

  std::vector<float> read(const Lease::Loaned& loaned) {
    std::vector<float> values(static_cast<std::size_t>(loaned.tensor->elements));
    device_->read(*loaned.buffer, loaned.begin, values.data(), values.size() * sizeof(float));
    return values;
  }

  // Whether what counts as the output is right.
  void expect_doubled() {
    std::vector<float> expected = read(runner_->lease().tensors()[0]);
    for (float& value : expected) value *= 2;
    EXPECT_EQ(read(runner_->lease().outputs()[0]), expected);
  }

  Problem problem_ = test::doubling();
  Case case_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<ContestantRunner> runner_;
  std::uint32_t calls_ = 0;
};

TEST_F(ContestantRunnerTest, AnHonestCallLeavesNothingButItsAnswer) {
  const CallReport report = first_call(Behaviour::honest);
  EXPECT_EQ(report.fault, Fault::none) << report.detail;
  EXPECT_EQ(report.call.error, 0);
  EXPECT_GT(report.call.elapsed_ms, 0);
  EXPECT_LE(report.call.elapsed_ms, report.wall_ms);
  EXPECT_LE(report.call.elapsed_ms, report.settled_ms);
  EXPECT_EQ(report.threads_left, 0u);
  EXPECT_EQ(report.waited_ms, 0) << "this device does one thing at a time";
  EXPECT_EQ(report.corruption.guard_bytes, 0u);
  EXPECT_EQ(report.corruption.input_elements, 0u);
  expect_doubled();
}

// Before the worker has its device's threads, each of them would count as the contestant's.
TEST_F(ContestantRunnerTest, AWorkerThatIsNotReadyIsAwaitedBeforeItLoads) {
  for (int i = 0; i < 10; ++i) {
    auto runner = ContestantRunner::start(*device_, problem_);
    ASSERT_TRUE(runner.ok());
    runner_ = std::move(*runner);
    EXPECT_EQ(first_call(Behaviour::honest).threads_left, 0u);
  }
}

TEST_F(ContestantRunnerTest, EveryCallIsLikeTheFirstAtOtherAddresses) {
  first_call(Behaviour::honest);
  std::set<std::uint64_t> begins;
  for (int i = 0; i < 20; ++i) {
    const CallReport report = call();
    ASSERT_EQ(report.fault, Fault::none) << report.detail;
    ASSERT_EQ(report.corruption.guard_bytes, 0u);
    expect_doubled();
    begins.insert(runner_->lease().tensors()[0].begin);
  }
  EXPECT_GT(begins.size(), 10u);
}

TEST_F(ContestantRunnerTest, AThreadThatIsLeftBehindIsCounted) {
  EXPECT_EQ(first_call(Behaviour::leaves_a_thread).threads_left, 1u);
  EXPECT_EQ(call().threads_left, 2u);
  lend(Behaviour::honest);
  EXPECT_EQ(call().threads_left, 2u) << "they stay";
}

TEST_F(ContestantRunnerTest, AThreadThatHasEndedIsNobodysBusiness) {
  EXPECT_EQ(first_call(Behaviour::joins_a_thread).threads_left, 0u);
  expect_doubled();
}

TEST_F(ContestantRunnerTest, SmallBuffersThatAreKeptServeCasesOfOtherSizes) {
  runner_->keep_small_buffers();
  first_call(Behaviour::honest);
  const SharedBuffer* const first = runner_->lease().tensors()[0].buffer;
  for (const std::int64_t elements : {sample_elements / 2, sample_elements / 10, sample_elements}) {
    runner_->take_back();
    EXPECT_FALSE(runner_->has_lease());
    lend(Behaviour::honest, elements);
    EXPECT_TRUE(runner_->has_lease());
    EXPECT_EQ(runner_->lease().tensors()[0].buffer, first);
    for (int i = 0; i < 3; ++i) {
      const CallReport report = call();
      ASSERT_EQ(report.fault, Fault::none) << report.detail;
      EXPECT_EQ(report.corruption.guard_bytes, 0u);
      EXPECT_EQ(report.corruption.input_elements, 0u);
      expect_doubled();
    }
  }
  lend(Behaviour::writes_behind, sample_elements / 2);
  EXPECT_GT(call().corruption.guard_bytes, 0u) << "behind the tensor of this case";
}

TEST_F(ContestantRunnerTest, BuffersThatAreKeptGoWhereTheNextCaseHasNoRoomInThem) {
  runner_->keep_small_buffers();
  first_call(Behaviour::honest);
  const std::uint64_t bytes = runner_->lease().tensors()[0].buffer->bytes();
  lend(Behaviour::honest, 1 << 20);
  EXPECT_GT(runner_->lease().tensors()[0].buffer->bytes(), bytes);
  EXPECT_EQ(call().fault, Fault::none);
  expect_doubled();
}

TEST_F(ContestantRunnerTest, WritesAroundTheOutputAreFoundWhereverItLies) {
  first_call(Behaviour::honest);
  for (const Behaviour behaviour : {Behaviour::writes_before, Behaviour::writes_behind}) {
    lend(behaviour);
    for (int i = 0; i < 5; ++i) {
      const CallReport report = call();
      EXPECT_EQ(report.fault, Fault::none);
      EXPECT_GT(report.corruption.guard_bytes, 0u);
      EXPECT_LE(report.corruption.guard_bytes, sizeof(float));
      EXPECT_EQ(report.corruption.guard_tensor, "output");
    }
  }
}

TEST_F(ContestantRunnerTest, AnInputCannotBeWrittenTo) {
  const CallReport report = first_call(Behaviour::writes_input);
  EXPECT_EQ(report.fault, Fault::ended);
  EXPECT_THAT(report.detail, HasSubstr("signal 11"));
  EXPECT_EQ(report.corruption.input_elements, 0u);
  EXPECT_FALSE(runner_->alive());
}

TEST_F(ContestantRunnerTest, AnInputThatMayBeWrittenToIsLookedAt) {
  first_call(Behaviour::honest);
  case_ = test::doubling_case(Behaviour::writes_input);
  ASSERT_TRUE(runner_->lend(case_, true, {true, true}, ample_patience)->ok());
  const CallReport report = call();
  EXPECT_EQ(report.fault, Fault::none);
  EXPECT_EQ(report.corruption.input_elements, 1u);
  EXPECT_EQ(report.corruption.input_tensor, "input");
}

TEST_F(ContestantRunnerTest, WhatIsNotWrittenStaysPoison) {
  first_call(Behaviour::half);
  EXPECT_EQ(runner_->lease().unwritten_elements(0), static_cast<std::uint64_t>(sample_elements / 2));
  const auto output = read(runner_->lease().outputs()[0]);
  for (std::size_t i = sample_elements / 2; i < output.size(); ++i)
    ASSERT_FALSE(std::abs(output[i]) < 3e19f) << i;
}

TEST_F(ContestantRunnerTest, TheEndOfTheProcessIsAFault) {
  const CallReport report = first_call(Behaviour::exits);
  EXPECT_EQ(report.fault, Fault::ended);
  EXPECT_THAT(report.detail, HasSubstr("exit code 3"));
  EXPECT_EQ(call().fault, Fault::ended) << "and it stays one";
}

TEST_F(ContestantRunnerTest, AnErrorOfTheCallIsPassedOn) {
  const CallReport report = first_call(Behaviour::fails);
  EXPECT_EQ(report.fault, Fault::none);
  EXPECT_EQ(report.call.error, 700);
}

TEST_F(ContestantRunnerTest, WhatIsNoLibraryDoesNotLoad) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "library.so") << "nothing of the kind";
  EXPECT_EQ(runner_->load(folder.path() / "library.so", ample_patience).fault, Fault::cannot_load);
  start_runner();
  EXPECT_EQ(runner_->load(folder.path() / "missing.so", ample_patience).fault, Fault::cannot_load);
}

}  // namespace contestant_runner_test
}  // namespace kgrade
