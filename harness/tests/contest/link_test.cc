#include "contest/link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

namespace kgrade {
namespace {

using std::chrono::milliseconds;

TEST(Link, CarriesRequestsWithADescriptor) {
  auto [referee, worker] = Link::make_pair();
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "hello", 5), 5);
  Request request;
  request.type = RequestType::lend;
  request.sequence = 7;
  request.slots[63] = 42;
  ASSERT_TRUE(referee.send(request, file.get()));
  auto received = worker.next_request();
  ASSERT_TRUE(received);
  EXPECT_EQ(received->first.sequence, 7u);
  EXPECT_EQ(received->first.slots[63], 42u);
  char text[6] = {};
  ASSERT_EQ(::pread(received->second.get(), text, 5, 0), 5);
  EXPECT_STREQ(text, "hello");
}

TEST(Link, AClosedEndIsSaid) {
  auto [referee, worker] = Link::make_pair();
  { const Link gone = std::move(worker); }
  EXPECT_FALSE(referee.send(Request{}));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(1000)), Link::Outcome::closed);
}

TEST(Link, WaitsNoLongerThanItsPatience) {
  auto [referee, worker] = Link::make_pair();
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(10)), Link::Outcome::timeout);
}

// Patience longer than eagerness, and patience shorter than it.
TEST(Link, OneThatAsksEagerlyWaitsAsLong) {
  for (const auto eager : {std::chrono::microseconds(500), std::chrono::microseconds(60'000'000)}) {
    auto [referee, worker] = Link::make_pair();
    referee.ask_eagerly_for(eager);
    Reply reply;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(20)), Link::Outcome::timeout);
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
    std::thread late([&worker = worker] {
      std::this_thread::sleep_for(milliseconds(5));
      Reply answer;
      answer.sequence = 7;
      worker.send(answer);
    });
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(10'000)), Link::Outcome::message);
    late.join();
    { const Link gone = std::move(worker); }
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(10'000)), Link::Outcome::closed);
  }
}

// Whatever bytes come, the result is one of four outcomes; a message passes only with its magic and number.
TEST(Link, RandomMessagesAreMalformedAndNothingWorse) {
  auto [referee, worker] = Link::make_pair();
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    std::vector<unsigned char> bytes(1 + random() % (2 * sizeof(Reply)));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    ASSERT_EQ(::write(worker.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    Reply reply;
    ASSERT_EQ(referee.receive(reply, random(), milliseconds(1000)), Link::Outcome::malformed);
  }
}

TEST(Link, DescriptorsThatAWorkerSendsAreNotTaken) {
  auto [referee, worker] = Link::make_pair();
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  const int next_free = ::dup(file.get());
  ::close(next_free);
  // A worker's end can send requests too; the referee reads one as a malformed reply.
  ASSERT_TRUE(worker.send(Request{}, file.get()));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(1000)), Link::Outcome::malformed);
  const int after = ::dup(file.get());
  EXPECT_EQ(after, next_free);
  ::close(after);
}

Reply reply_to(std::uint64_t sequence, ReplyStatus status = ReplyStatus::done) {
  Reply reply;
  reply.sequence = sequence;
  reply.status = status;
  return reply;
}

TEST(Link, PeekingTakesNothingAway) {
  auto [referee, worker] = Link::make_pair();
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::queued)));
  Reply reply;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(referee.peek(reply, 7));
    EXPECT_EQ(reply.status, ReplyStatus::queued);
  }
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::message);
  EXPECT_FALSE(referee.peek(reply, 7));
}

TEST(Link, WithoutPatienceWhatIsNotThereIsATimeout) {
  auto [referee, worker] = Link::make_pair();
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::timeout);
  ASSERT_TRUE(worker.send(reply_to(7)));
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::message);
  { const Link gone = std::move(worker); }
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::closed);
}

TEST(Link, PeekingSeesOnlyASoundReplyToWhatWasAsked) {
  auto [referee, worker] = Link::make_pair();
  Reply reply;
  EXPECT_FALSE(referee.peek(reply, 7)) << "there is none";
  ASSERT_TRUE(worker.send(reply_to(8)));
  EXPECT_FALSE(referee.peek(reply, 7)) << "it answers another request";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::malformed);
  ASSERT_EQ(::write(worker.descriptor(), "x", 1), 1);
  EXPECT_FALSE(referee.peek(reply, 7)) << "it is not a reply";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::malformed);
  { const Link gone = std::move(worker); }
  EXPECT_FALSE(referee.peek(reply, 7)) << "there is no worker";
}

TEST(Link, WhateverIsThereIsUnread) {
  auto [referee, worker] = Link::make_pair();
  EXPECT_FALSE(referee.has_unread());
  ASSERT_EQ(::write(worker.descriptor(), "x", 1), 1);
  EXPECT_TRUE(referee.has_unread());
  EXPECT_TRUE(referee.has_unread()) << "looking takes nothing away";
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::malformed);
  EXPECT_FALSE(referee.has_unread());
  ASSERT_EQ(::send(worker.descriptor(), "", 0, 0), 0);
  EXPECT_TRUE(referee.has_unread()) << "an empty message is one";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::malformed);
  { const Link gone = std::move(worker); }
  EXPECT_FALSE(referee.has_unread()) << "there is no worker";
}

TEST(Link, RepliesStayInOrder) {
  auto [referee, worker] = Link::make_pair();
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::queued)));
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::done)));
  Reply reply;
  ASSERT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::message);
  EXPECT_EQ(reply.status, ReplyStatus::queued);
  ASSERT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::message);
  EXPECT_EQ(reply.status, ReplyStatus::done);
}

TEST(Link, WaitingTellsWhetherThereIsSomething) {
  auto [referee, worker] = Link::make_pair();
  EXPECT_FALSE(referee.wait(milliseconds(10)));
  ASSERT_TRUE(worker.send(reply_to(7)));
  EXPECT_TRUE(referee.wait(milliseconds(0)));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Link::Outcome::message)
      << "waiting takes nothing away";
  EXPECT_FALSE(referee.wait(milliseconds(0)));
}

TEST(Link, WaitingEndsWhenTheOtherEndIsGone) {
  auto [referee, worker] = Link::make_pair();
  std::thread leaving([link = std::move(worker)] {});
  EXPECT_TRUE(referee.wait(milliseconds(60'000)));
  leaving.join();
}

}  // namespace
}  // namespace kgrade
