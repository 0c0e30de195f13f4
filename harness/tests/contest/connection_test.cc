#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "base/temporary_directory.h"
#include "contest/protocol.h"

namespace kgrade {
namespace connection_test {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Connection, CarriesRequestsWithADescriptor) {
  auto [referee, worker] = Connection::make_pair();
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

TEST(Connection, AClosedEndIsSaid) {
  auto [referee, worker] = Connection::make_pair();
  { const Connection gone = std::move(worker); }
  EXPECT_FALSE(referee.send(Request{}));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(1000)), Connection::Outcome::closed);
}

TEST(Connection, WaitsNoLongerThanItsPatience) {
  auto [referee, worker] = Connection::make_pair();
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(10)), Connection::Outcome::timeout);
}

// Patience longer than eagerness, and patience shorter than it.
TEST(Connection, OneThatAsksEagerlyWaitsAsLong) {
  for (const auto eager : {std::chrono::microseconds(500), std::chrono::microseconds(60'000'000)}) {
    auto [referee, worker] = Connection::make_pair();
    referee.spin_for(eager);
    Reply reply;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(20)), Connection::Outcome::timeout);
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
    std::thread late([&worker = worker] {
      std::this_thread::sleep_for(milliseconds(5));
      Reply answer;
      answer.sequence = 7;
      worker.send(answer);
    });
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(10'000)), Connection::Outcome::message);
    late.join();
    { const Connection gone = std::move(worker); }
    EXPECT_EQ(referee.receive(reply, 7, milliseconds(10'000)), Connection::Outcome::closed);
  }
}

// Whatever bytes come, the result is one of four outcomes; a message passes only with its magic and number.
TEST(Connection, RandomMessagesAreMalformedAndNothingWorse) {
  auto [referee, worker] = Connection::make_pair();
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    std::vector<unsigned char> bytes(1 + random() % (2 * sizeof(Reply)));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    ASSERT_EQ(::write(worker.descriptor(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    Reply reply;
    ASSERT_EQ(referee.receive(reply, random(), milliseconds(1000)), Connection::Outcome::malformed);
  }
}

TEST(Connection, DescriptorsThatAWorkerSendsAreNotTaken) {
  auto [referee, worker] = Connection::make_pair();
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  const int next_free = ::dup(file.get());
  ::close(next_free);
  // A worker's end can send requests too; the referee reads one as a malformed reply.
  ASSERT_TRUE(worker.send(Request{}, file.get()));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 0, milliseconds(1000)), Connection::Outcome::malformed);
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

TEST(Connection, PeekingTakesNothingAway) {
  auto [referee, worker] = Connection::make_pair();
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::queued)));
  Reply reply;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(referee.peek(reply, 7));
    EXPECT_EQ(reply.status, ReplyStatus::queued);
  }
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::message);
  EXPECT_FALSE(referee.peek(reply, 7));
}

TEST(Connection, WithoutPatienceWhatIsNotThereIsATimeout) {
  auto [referee, worker] = Connection::make_pair();
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::timeout);
  ASSERT_TRUE(worker.send(reply_to(7)));
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::message);
  { const Connection gone = std::move(worker); }
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::closed);
}

TEST(Connection, PeekingSeesOnlyASoundReplyToWhatWasAsked) {
  auto [referee, worker] = Connection::make_pair();
  Reply reply;
  EXPECT_FALSE(referee.peek(reply, 7)) << "there is none";
  ASSERT_TRUE(worker.send(reply_to(8)));
  EXPECT_FALSE(referee.peek(reply, 7)) << "it answers another request";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::malformed);
  ASSERT_EQ(::write(worker.descriptor(), "x", 1), 1);
  EXPECT_FALSE(referee.peek(reply, 7)) << "it is not a reply";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::malformed);
  { const Connection gone = std::move(worker); }
  EXPECT_FALSE(referee.peek(reply, 7)) << "there is no worker";
}

TEST(Connection, WhateverIsThereIsUnread) {
  auto [referee, worker] = Connection::make_pair();
  EXPECT_FALSE(referee.has_unread());
  ASSERT_EQ(::write(worker.descriptor(), "x", 1), 1);
  EXPECT_TRUE(referee.has_unread());
  EXPECT_TRUE(referee.has_unread()) << "looking takes nothing away";
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::malformed);
  EXPECT_FALSE(referee.has_unread());
  ASSERT_EQ(::send(worker.descriptor(), "", 0, 0), 0);
  EXPECT_TRUE(referee.has_unread()) << "an empty message is one";
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::malformed);
  { const Connection gone = std::move(worker); }
  EXPECT_FALSE(referee.has_unread()) << "there is no worker";
}

TEST(Connection, RepliesStayInOrder) {
  auto [referee, worker] = Connection::make_pair();
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::queued)));
  ASSERT_TRUE(worker.send(reply_to(7, ReplyStatus::done)));
  Reply reply;
  ASSERT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::message);
  EXPECT_EQ(reply.status, ReplyStatus::queued);
  ASSERT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::message);
  EXPECT_EQ(reply.status, ReplyStatus::done);
}

TEST(Connection, WaitingTellsWhetherThereIsSomething) {
  auto [referee, worker] = Connection::make_pair();
  EXPECT_FALSE(referee.wait(milliseconds(10)));
  ASSERT_TRUE(worker.send(reply_to(7)));
  EXPECT_TRUE(referee.wait(milliseconds(0)));
  Reply reply;
  EXPECT_EQ(referee.receive(reply, 7, milliseconds(0)), Connection::Outcome::message)
      << "waiting takes nothing away";
  EXPECT_FALSE(referee.wait(milliseconds(0)));
}

TEST(Connection, WaitingEndsWhenTheOtherEndIsGone) {
  auto [referee, worker] = Connection::make_pair();
  std::thread leaving([connection = std::move(worker)] {});
  EXPECT_TRUE(referee.wait(milliseconds(60'000)));
  leaving.join();
}

const auto never_gone = [] { return false; };

TEST(Listener, AWorkerThatConnectsHasALinkLikeAnyOther) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "socket");
  ASSERT_TRUE(listener.ok());
  std::thread worker([&] {
    Connection connection(connect_to(folder.path() / "socket"));
    const auto request = connection.next_request();
    ASSERT_TRUE(request);
    Reply reply;
    reply.sequence = request->first.sequence;
    connection.send(reply);
  });
  auto connection = listener->accept(milliseconds(20'000), never_gone);
  ASSERT_TRUE(connection.ok());
  Request request;
  request.sequence = 7;
  ASSERT_TRUE(connection->send(request));
  Reply reply;
  EXPECT_EQ(connection->receive(reply, 7, milliseconds(20'000)), Connection::Outcome::message);
  worker.join();
}

TEST(Listener, DoesNotWaitForOneThatHasEnded) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "socket");
  ASSERT_TRUE(listener.ok());
  const auto connection = listener->accept(milliseconds(600'000), [] { return true; });
  ASSERT_FALSE(connection.ok());
  EXPECT_THAT(connection.error().message, HasSubstr("ended"));
}

TEST(Listener, WaitsNoLongerThanItsPatience) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "socket");
  ASSERT_TRUE(listener.ok());
  EXPECT_FALSE(listener->accept(milliseconds(10), never_gone).ok());
}

TEST(Listener, APathThatNoSocketCanHaveIsAnErrorWithARemedy) {
  const auto listener = Listener::open("/tmp/" + std::string(200, 'x'));
  ASSERT_FALSE(listener.ok());
  EXPECT_THAT(listener.error().remedy, HasSubstr("TMPDIR"));
}

TEST(Listener, ThereIsNoConnectionWhereNobodyListens) { EXPECT_FALSE(connect_to("/nowhere/socket")); }

}  // namespace connection_test
}  // namespace kgrade
