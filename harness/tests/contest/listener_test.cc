#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/temporary_directory.h"
#include "contest/protocol.h"

namespace kgrade {
namespace listener_test {

using std::chrono::milliseconds;
using testing::HasSubstr;

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

}  // namespace listener_test
}  // namespace kgrade
