// A referee and workers that send anything: no crash, no hang, and only real answers are believed.
#include <gmock/gmock.h>

#include "tests/fuzz/answers.h"
#include "tests/fuzz/noise.h"
#include "tests/fuzz/sent_messages.h"

namespace kgrade::fuzz::replies_test {

constexpr int replies = 10'000;
// A process may be slow to start. After that, the only long waits are for workers that were drawn to be
// silent, and those are short. If a busy machine takes longer, the worker counts as silent.
constexpr std::chrono::seconds first_patience{60};
constexpr std::chrono::milliseconds patience{500};
constexpr std::chrono::milliseconds at_once{0};

// The last answer of a worker that was asked until it died, or often enough.
struct Talk {
  int answers = 0;
  Fault end = Fault::none;
};

Talk talk_to(WorkerProcess& worker, Noise& noise, int most) {
  Talk talk;
  while (worker.alive() && talk.answers < most) {
    const WorkerProcess::Patience waits = talk.answers == 0 ? first_patience : patience;
    Answer answer;
    if (noise.one_in(3)) {
      answer = worker.give_back(waits);
      expect_sound(answer, worker);
    } else {
      answer = one_call(worker, noise.one_in(2) ? 1 : 0, waits, [] {});
    }
    talk.end = answer.fault;
    ++talk.answers;
  }
  return talk;
}

TEST(HostileReplies, TenThousandFromProcessesAreAnswersOrFaults) {
  Noise noise(1);
  std::map<Fault, int> ends;
  int answers = 0;
  for (int seed = 0; answers < replies; ++seed) {
    SCOPED_TRACE(testing::Message() << "random_worker " << seed);
    const auto worker = WorkerProcess::start({KGRADE_RANDOM_WORKER, std::to_string(seed)});
    ASSERT_TRUE(worker.ok()) << to_string(worker.errors());
    const Talk talk = talk_to(**worker, noise, replies - answers);
    ASSERT_GT(talk.answers, 0);
    answers += talk.answers;
    ++ends[talk.end];
  }
  EXPECT_GT(ends[Fault::malformed], 300);
  EXPECT_GT(ends[Fault::ended], 10);
  EXPECT_GT(ends[Fault::time_limit], 0);
  EXPECT_GT(ends[Fault::memory_limit], 0);
}

TEST(HostileReplies, TenThousandInPlaceOfAnAnswerAreAnswersOrFaults) {
  Noise noise(2);
  int malformed = 0;
  for (int i = 0; i < replies; ++i) {
    SCOPED_TRACE(i);
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    int step = 0;
    const auto act = [&, connection = &theirs] {
      if (step++ == 1)
        send_message(connection->descriptor(), noisy_message(noise, 1), connection->descriptor(),
                     noise.below(4));
    };
    const Answer answer = one_call(*worker, noise.one_in(2) ? 1 : 0, at_once, act);
    if (answer.fault == Fault::malformed) ++malformed;
  }
  EXPECT_GT(malformed, replies / 2);
}

TEST(HostileReplies, WhateverLiesReadyBeforeTheQuestionIsRefused) {
  Noise noise(3);
  for (int i = 0; i < replies / 10; ++i) {
    SCOPED_TRACE(i);
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    send_message(theirs.descriptor(), noisy_message(noise, 1), theirs.descriptor(), noise.below(4));
    ASSERT_EQ(one_call(*worker, noise.one_in(2) ? 1 : 0, at_once, [] {}).fault, Fault::malformed);
  }
}

// Without the number of the request a message is not a reply; that includes past and future numbers.
TEST(HostileReplies, OnlyTheReplyToTheRequestIsOne) {
  for (const std::uint64_t sequence : {0, 1, 2, 3, -1}) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    ASSERT_TRUE(worker->begin_call({}, 0).ok());
    Reply reply;
    reply.sequence = sequence;
    ASSERT_TRUE(theirs.send(reply));
    EXPECT_EQ(worker->end_call(at_once).fault, sequence == 1 ? Fault::none : Fault::malformed) << sequence;
  }
}

// Until the socket is full of questions: sending must never block.
TEST(HostileReplies, AWorkerThatReadsNothingDoesNotStopTheReferee) {
  auto [ours, theirs] = Connection::make_pair();
  const auto worker = WorkerProcess::over(std::move(ours));
  Answer begun;
  for (int call = 0; call < 100'000 && begun.ok(); ++call) begun = worker->begin_call({}, 0);
  EXPECT_EQ(begun.fault, Fault::ended);
  EXPECT_FALSE(worker->alive());
}

}  // namespace kgrade::fuzz::replies_test
