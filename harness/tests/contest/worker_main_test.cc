// What a worker asks of its device for a request, on a device that records it.
#include "contest/worker_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "contest/worker_process.h"
#include "tests/contest/patience.h"

namespace kgrade {
namespace worker_main_test {

using testing::ElementsAre;

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

}  // namespace worker_main_test
}  // namespace kgrade
