// The steps of a call, whatever the worker says in whatever order. The test has the worker's end of the
// connection.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "contest/worker_process.h"

namespace kgrade {
namespace call_order_test {

using std::chrono::milliseconds;
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

}  // namespace call_order_test
}  // namespace kgrade
