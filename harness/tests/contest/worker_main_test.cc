// What a worker asks of its device for a request, on a device that records it.
#include "contest/worker_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contest/returned_memory.h"
#include "contest/worker_process.h"
#include "sample_problem.h"

namespace kgrade {
namespace worker_main_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WritingDevice : public WorkerDevice {
 public:
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd /*descriptor*/, const Loan& /*loan*/) override { return 0; }
  void unmap_all() override {}
  void begin_call(Entry /*entry*/, Launches /*launches*/, std::uint32_t gate) override {
    steps.push_back("begins at gate " + std::to_string(gate));
  }
  std::optional<CallTimes> end_call() override { return CallTimes{}; }
  void wait_at_gate(std::uint32_t gate) override {
    steps.push_back("waits at gate " + std::to_string(gate));
    gate_opens.acquire();
  }

  std::vector<std::string> steps;
  std::binary_semaphore gate_opens{0};
};

class WorkerMain : public testing::Test {
 protected:
  WorkerMain() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    referee_ = WorkerProcess::over(Connection(UniqueFd(ends[0])));
    serving_ = std::thread([this, socket = ends[1]] {
      LibraryContestant contestant;
      run_worker(device_, contestant, socket, true);
    });
    EXPECT_TRUE(referee_->load(SAMPLE_CONTESTANT, ample_patience).ok());
  }
  ~WorkerMain() override {
    referee_.reset();
    serving_.join();
  }

  WritingDevice device_;
  std::unique_ptr<WorkerProcess> referee_;
  std::thread serving_;
};

TEST_F(WorkerMain, ACallWithoutAGateWaitsForNothing) {
  ASSERT_TRUE(referee_->begin_call({}, 0).ok());
  EXPECT_TRUE(referee_->end_call(ample_patience).ok());
  EXPECT_TRUE(referee_->settle(ample_patience).ok());
  EXPECT_THAT(device_.steps, ElementsAre("begins at gate 0"));
}

TEST_F(WorkerMain, WhereTheDeviceWaitsTheCallBeginsAheadOfTheGate) {
  ASSERT_TRUE(referee_->begin_call({}, 5).ok());
  EXPECT_TRUE(referee_->wait_until_queued(ample_patience));
  EXPECT_TRUE(referee_->end_call(ample_patience).ok());
  EXPECT_TRUE(referee_->settle(ample_patience).ok());
  EXPECT_THAT(device_.steps, ElementsAre("begins at gate 5"));
}

TEST_F(WorkerMain, WhereItsThreadWaitsItSaysSoAndNothingBeginsBefore) {
  ASSERT_TRUE(referee_->begin_call({}, 5, {}, GateWaiter::thread).ok());
  EXPECT_TRUE(referee_->wait_until_queued(ample_patience));
  device_.gate_opens.release();
  EXPECT_TRUE(referee_->end_call(ample_patience).ok());
  EXPECT_TRUE(referee_->settle(ample_patience).ok());
  EXPECT_THAT(device_.steps, ElementsAre("waits at gate 5", "begins at gate 0"));
}

// Which memory a contestant in Python may return, and what is overwritten afterwards.
constexpr std::uint64_t input = 0x10000, lent_output = 0x20000, own = 0x30000, bytes = 0x400;

class OverwritingDevice : public WorkerDevice {
 public:
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd /*descriptor*/, const Loan& /*loan*/) override { return 0; }
  void unmap_all() override {}
  void begin_call(Entry /*entry*/, Launches /*launches*/, std::uint32_t /*gate*/) override {}
  std::optional<CallTimes> end_call() override { return CallTimes{}; }
  bool overwrite(std::uint64_t address, std::uint64_t length, unsigned char value) override {
    overwritten.emplace_back(address, length);
    values.push_back(value);
    return is_writable;
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> overwritten;
  std::vector<unsigned char> values;
  bool is_writable = true;
};

// An input and an output, in each of two launches.
class ReturnedMemoryTest : public testing::Test {
 protected:
  ReturnedMemoryTest() { lend(false, true); }

  void lend(bool may_be_input, bool is_overwritten) {
    memory_.give_back();
    for (std::uint32_t launch = 0; launch < 2; ++launch) {
      Loan loan{.bytes = bytes, .length = bytes, .launch = launch};
      memory_.lend(loan, input + launch * bytes);
      loan.parameter = 1;
      memory_.lend(loan, lent_output + launch * bytes);
      loan.captures = 1;
      loan.may_be_input = may_be_input ? 1 : 0;
      loan.is_overwritten = is_overwritten ? 1 : 0;
      memory_.lend(loan, 0);
      arguments_[launch][0] = input + launch * bytes;
      arguments_[launch][1] = lent_output + launch * bytes;
    }
  }

  // What is said of outputs at these addresses.
  std::string look(std::uint64_t first, std::uint64_t second = own) {
    memory_.begin_call(arguments_, 2);
    ReturnedMemory::Arguments returned = arguments_;
    returned[0][1] = first;
    returned[1][1] = second;
    return memory_.look(returned);
  }

  ReturnedMemory memory_;
  ReturnedMemory::Arguments arguments_{};
  OverwritingDevice device_;
};

TEST_F(ReturnedMemoryTest, MemoryOfAnInputIsNoAnswer) {
  EXPECT_THAT(look(input), HasSubstr("returned memory of an input for output 1; return a tensor of its own"));
  EXPECT_THAT(look(own, input + bytes), HasSubstr("of an input")) << "in another launch";
  EXPECT_THAT(look(own, input), HasSubstr("of an input")) << "of another launch";
}

TEST_F(ReturnedMemoryTest, NorIsMemoryThatOverlapsOne) {
  EXPECT_THAT(look(input + 2 * bytes - 1), HasSubstr("of an input"));
  EXPECT_THAT(look(input - bytes + 1), HasSubstr("of an input"));
  EXPECT_THAT(look(input - bytes), IsEmpty());
  EXPECT_THAT(look(input + 2 * bytes), IsEmpty());
}

// Buffers may serve several cases of a problem, and the outputs of the next case may be shorter.
TEST_F(ReturnedMemoryTest, AShorterOutputOfATrustedOneEndsEarlier) {
  lend(false, false);
  EXPECT_THAT(look(input - bytes / 2), HasSubstr("of an input"));
  memory_.set_length({.bytes = bytes / 2, .parameter = 1});
  EXPECT_THAT(look(input - bytes / 2), IsEmpty());
  EXPECT_THAT(look(input), HasSubstr("of an input"));
}

TEST_F(ReturnedMemoryTest, WhatWasReturnedIsOverwrittenOnce) {
  EXPECT_THAT(look(own, own + bytes), IsEmpty());
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_THAT(device_.overwritten,
              testing::ElementsAre(std::pair(own, bytes), std::pair(own + bytes, bytes)));
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_EQ(device_.overwritten.size(), 2u);
}

TEST_F(ReturnedMemoryTest, NoByteOfItMakesASmallNumber) {
  for (int call = 0; call < 200; ++call) {
    look(own);
    memory_.overwrite(device_);
  }
  EXPECT_THAT(device_.values,
              testing::Each(testing::AnyOf(testing::AllOf(testing::Ge(0x41), testing::Le(0x7b)),
                                           testing::AllOf(testing::Ge(0xc1), testing::Le(0xfb)))));
}

TEST_F(ReturnedMemoryTest, WhatItWasOverwrittenWithIsRecognised) {
  for (int call = 0; call < 200; ++call) {
    look(own);
    memory_.overwrite(device_);
    const std::vector<unsigned char> element(4, device_.values.back());
    EXPECT_TRUE(is_overwritten(element.data(), element.size()));
  }
  for (const float value : {0.0F, 1.0F, -2.5F, 12.0F, 1e30F}) {
    unsigned char element[sizeof value];
    std::memcpy(element, &value, sizeof value);
    EXPECT_FALSE(is_overwritten(element, sizeof element)) << value;
  }
}

TEST_F(ReturnedMemoryTest, OutputsThatWereLentAreTheReferees) {
  EXPECT_THAT(look(lent_output, lent_output + bytes), IsEmpty());
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_THAT(device_.overwritten, IsEmpty());
}

TEST_F(ReturnedMemoryTest, AnInputThatMayBeReturnedStaysAsItIs) {
  lend(true, true);
  EXPECT_THAT(look(input, own), IsEmpty());
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_THAT(device_.overwritten, testing::ElementsAre(std::pair(own, bytes)));
}

TEST_F(ReturnedMemoryTest, WhatATrustedOneReturnsStaysAsItIs) {
  lend(false, false);
  EXPECT_THAT(look(own), IsEmpty());
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_THAT(device_.overwritten, IsEmpty());
}

TEST_F(ReturnedMemoryTest, MemoryThatCannotBeWrittenIsReported) {
  device_.is_writable = false;
  look(own);
  EXPECT_FALSE(memory_.overwrite(device_));
}

TEST_F(ReturnedMemoryTest, OfACallThatFailedNothingIsOverwritten) {
  look(own);
  memory_.forget();
  EXPECT_TRUE(memory_.overwrite(device_));
  EXPECT_THAT(device_.overwritten, IsEmpty());
}

}  // namespace worker_main_test
}  // namespace kgrade
