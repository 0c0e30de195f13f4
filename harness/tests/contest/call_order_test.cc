// The steps of a call, whatever the worker says in whatever order. The test has the worker's end of the
// connection.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "base/process_table.h"
#include "contest/worker_process.h"
#include "behaviour.h"

namespace kgrade {
namespace call_order_test {

using std::chrono::milliseconds;
using test::CountingPage;
using Statuses = std::vector<ReplyStatus>;

constexpr ReplyStatus queued = ReplyStatus::queued;
constexpr ReplyStatus done = ReplyStatus::done;
constexpr ReplyStatus idle = ReplyStatus::idle;
constexpr milliseconds at_once{0};

class CallOrder : public testing::Test {
 protected:
  CallOrder() : CallOrder(Connection::make_pair()) {}

  void say(const Statuses& statuses, std::uint64_t sequence) {
    for (const ReplyStatus status : statuses) {
      Reply reply;
      reply.sequence = sequence;
      reply.status = status;
      ASSERT_TRUE(theirs_.send(reply));
    }
  }

  Answer finish_call() {
    Answer answer = worker_->end_call(at_once);
    if (answer.ok()) answer = worker_->settle(at_once);
    return answer;
  }

  Connection theirs_;
  std::unique_ptr<WorkerProcess> worker_;

 private:
  explicit CallOrder(std::pair<Connection, Connection> ends)
      : theirs_(std::move(ends.second)), worker_(WorkerProcess::over(std::move(ends.first))) {}
};

// What must happen to the first call.
Fault fault_of(const Statuses& said, bool at_gate) {
  std::size_t next = at_gate && !said.empty() && said[0] == queued ? 1 : 0;
  if (next == said.size()) return Fault::time_limit;
  if (said[next++] != done) return Fault::malformed;
  if (next == said.size()) return Fault::busy;
  return said[next] == idle ? Fault::none : Fault::malformed;
}

// All of up to three messages.
std::vector<Statuses> all_talks() {
  std::vector<Statuses> talks = {{}};
  for (std::size_t from = 0; talks[from].size() < 3; ++from) {
    for (const ReplyStatus status : {queued, done, idle}) {
      Statuses longer = talks[from];
      longer.push_back(status);
      talks.push_back(std::move(longer));
    }
  }
  return talks;
}

TEST(AllCallOrders, OnlyTheRightOnesPass) {
  const auto talks = all_talks();
  ASSERT_EQ(talks.size(), 1u + 3 + 9 + 27);
  for (const std::uint32_t gate : {0, 1}) {
    for (const bool looks : {false, true}) {
      for (const Statuses& talk : talks) {
        auto [ours, theirs] = Connection::make_pair();
        const auto worker = WorkerProcess::over(std::move(ours));
        ASSERT_TRUE(worker->begin_call({}, gate).ok());
        for (const ReplyStatus status : talk) {
          Reply reply;
          reply.sequence = 1;
          reply.status = status;
          ASSERT_TRUE(theirs.send(reply));
        }
        const bool is_queued = gate != 0 && !talk.empty() && talk[0] == queued;
        if (looks) {
          EXPECT_EQ(worker->wait_until_queued(at_once), is_queued);
        }
        Answer answer = worker->end_call(at_once);
        if (answer.ok()) answer = worker->settle(at_once);
        EXPECT_EQ(answer.fault, fault_of(talk, gate != 0))
            << testing::PrintToString(talk) << (gate != 0 ? " at a gate" : "");
        EXPECT_EQ(worker->alive(), answer.ok());
        EXPECT_TRUE(answer.ok() || !answer.detail.empty());
      }
    }
  }
}

TEST_F(CallOrder, WhatIsSaidTooMuchIsInTheWayOfTheNextCall) {
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  say({done, idle, idle}, 1);
  EXPECT_TRUE(finish_call().ok());
  EXPECT_EQ(worker_->begin_call({}, 0).fault, Fault::malformed);
  EXPECT_FALSE(worker_->alive());
}

TEST_F(CallOrder, AnAnswerBeforeTheCallIsMalformedHoweverRight) {
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  say({done, idle}, 1);
  say({done, idle}, 2);
  EXPECT_TRUE(finish_call().ok());
  EXPECT_EQ(worker_->begin_call({}, 0).fault, Fault::malformed);
  EXPECT_FALSE(worker_->alive());
}

TEST_F(CallOrder, NoOtherRequestIsAnsweredAheadEither) {
  say({done}, 1);
  EXPECT_EQ(worker_->give_back(at_once).fault, Fault::malformed);
  EXPECT_FALSE(worker_->alive());
}

TEST_F(CallOrder, AGateIsNotTakenByWhoAnswersAheadAndTheNextRequestRefusesThat) {
  const auto gate = Gate::make();
  if (gate == nullptr) GTEST_SKIP() << "no memory files here";
  say({done}, 1);
  EXPECT_FALSE(worker_->offer_gate(*gate, at_once));
  EXPECT_EQ(worker_->give_back(at_once).fault, Fault::malformed);
}

TEST_F(CallOrder, NumbersThatAreNotDueAreMalformed) {
  for (const std::uint64_t ahead : {1, 2, 1000}) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    ASSERT_TRUE(worker->begin_call({}, 0).ok());
    Reply reply;
    reply.sequence = 1 + ahead;
    ASSERT_TRUE(theirs.send(reply));
    EXPECT_EQ(worker->end_call(at_once).fault, Fault::malformed) << ahead;
  }
}

TEST_F(CallOrder, OneThatIsNotQueuedInTimeCanBeLater) {
  ASSERT_TRUE(worker_->begin_call({}, 1).ok());
  EXPECT_FALSE(worker_->wait_until_queued(at_once));
  say({queued}, 1);
  EXPECT_TRUE(worker_->wait_until_queued(at_once));
  EXPECT_FALSE(worker_->wait_until_queued(at_once)) << "it is said once";
  say({done, idle}, 1);
  EXPECT_TRUE(finish_call().ok());
}

TEST_F(CallOrder, WhatComesInsteadOfQueuedIsLeftForTheEnd) {
  ASSERT_TRUE(worker_->begin_call({}, 1).ok());
  say({done, idle}, 1);
  EXPECT_FALSE(worker_->wait_until_queued(at_once));
  EXPECT_TRUE(finish_call().ok());
}

TEST_F(CallOrder, StatusesOfACallAnswerNothingElse) {
  for (const ReplyStatus status : {queued, idle}) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    std::thread answering([connection = std::move(theirs), status]() mutable {
      const auto next = connection.next_request();
      Reply reply;
      reply.sequence = next->first.sequence;
      reply.status = status;
      connection.send(reply);
    });
    EXPECT_EQ(worker->give_back(milliseconds(60'000)).fault, Fault::malformed);
    answering.join();
  }
}

TEST_F(CallOrder, OneThatIsGoneInTheMiddleHasEnded) {
  ASSERT_TRUE(worker_->begin_call({}, 1).ok());
  ASSERT_TRUE(theirs_.next_request());
  say({queued, done}, 1);
  theirs_ = Connection(UniqueFd());
  EXPECT_TRUE(worker_->wait_until_queued(at_once));
  EXPECT_TRUE(worker_->end_call(at_once).ok());
  EXPECT_EQ(worker_->settle(at_once).fault, Fault::ended);
}

// A frozen worker does nothing at all: a hostile one that counts on a separate thread shows it.
constexpr milliseconds long_enough{20'000};

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

// The state of each thread, as in ps(1): "TT" for two that are stopped. See proc(5), /proc/PID/task.
std::string states_of_threads(pid_t process) {
  std::string states;
  const std::filesystem::path folder = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(folder)) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    std::getline(stat, line);
    // The state comes after the name, which ends at the last parenthesis.
    states += line.at(line.rfind(')') + 2);
  }
  return states;
}

class Freeze : public testing::Test {
 protected:
  void start(const std::vector<std::string>& command) {
    auto started = WorkerProcess::start(command);
    ASSERT_TRUE(started.ok()) << to_string(started.errors());
    worker_ = std::move(*started);
    gate_ = Gate::make();
    ASSERT_NE(gate_, nullptr);
    void* const page =
        ::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate_->descriptor(), 0);
    ASSERT_NE(page, MAP_FAILED);
    page_ = static_cast<CountingPage*>(page);
  }
  ~Freeze() override {
    if (page_ != nullptr) ::munmap(page_, gate_bytes);
  }

  bool counts_on() {
    const std::uint64_t before = page_->count;
    return eventually([&] { return page_->count != before; });
  }

  void expect_stopped() {
    ASSERT_TRUE(eventually([this] { return states_of_threads(page_->process) == "TT"; }));
    const std::uint64_t before = page_->count;
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(page_->count, before);
  }

  std::unique_ptr<WorkerProcess> worker_;
  std::unique_ptr<Gate> gate_;
  CountingPage* page_ = nullptr;
};

TEST_F(Freeze, NoThreadRunsUntilTheWorkerIsThawed) {
  start({HOSTILE_WORKER, "counting"});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  ASSERT_TRUE(counts_on());
  for (int i = 0; i < 3; ++i) {
    worker_->freeze();
    expect_stopped();
    worker_->thaw();
    EXPECT_TRUE(counts_on());
  }
}

TEST_F(Freeze, AThawedWorkerAnswersWhatItWasAskedMeanwhile) {
  start({HOSTILE_WORKER, "counting"});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  worker_->freeze();
  expect_stopped();
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  worker_->thaw();
  EXPECT_TRUE(worker_->end_call(long_enough).ok());
  EXPECT_TRUE(worker_->settle(long_enough).ok());
}

TEST_F(Freeze, AFrozenWorkerCanBeEnded) {
  for (const bool retires : {true, false}) {
    start({HOSTILE_WORKER, "counting"});
    ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
    worker_->find_worker();
    worker_->freeze();
    expect_stopped();
    if (retires) worker_->retire();
    worker_->dismiss(long_enough);
    EXPECT_FALSE(worker_->alive());
    EXPECT_FALSE(process_entry(page_->process));
    ::munmap(page_, gate_bytes);
    page_ = nullptr;
  }
}

TEST_F(Freeze, ThreadsAreCountedOnceTheWorkerIsFound) {
  start({HOSTILE_WORKER, "counting"});
  EXPECT_EQ(worker_->threads(), 0u);
  worker_->find_worker();
  EXPECT_EQ(worker_->threads(), 1u);
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  EXPECT_EQ(worker_->threads(), 2u);
}

// As in a sandbox: the process that was started is not the one that must be stopped.
TEST_F(Freeze, BelowALauncherTheWorkerIsFound) {
  start({"/bin/sh", "-c", "\"$0\" counting; exit $?", HOSTILE_WORKER});
  ASSERT_TRUE(worker_->offer_gate(*gate_, long_enough));
  worker_->find_worker();
  EXPECT_EQ(worker_->threads(), 2u);
  worker_->freeze();
  expect_stopped();
  worker_->thaw();
  EXPECT_TRUE(counts_on());
}

}  // namespace call_order_test
}  // namespace kgrade
