#include "contest/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

const auto never_gone = [] { return false; };

TEST(Listener, AWorkerThatConnectsHasALinkLikeAnyOther) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "link");
  ASSERT_TRUE(listener.ok());
  std::thread worker([&] {
    Link link(connect_to(folder.path() / "link"));
    const auto request = link.next_request();
    ASSERT_TRUE(request);
    Reply reply;
    reply.sequence = request->first.sequence;
    link.send(reply);
  });
  auto link = listener->accept(milliseconds(20'000), never_gone);
  ASSERT_TRUE(link.ok());
  Request request;
  request.sequence = 7;
  ASSERT_TRUE(link->send(request));
  Reply reply;
  EXPECT_EQ(link->receive(reply, 7, milliseconds(20'000)), Link::Outcome::message);
  worker.join();
}

TEST(Listener, DoesNotWaitForOneThatHasEnded) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "link");
  ASSERT_TRUE(listener.ok());
  const auto link = listener->accept(milliseconds(600'000), [] { return true; });
  ASSERT_FALSE(link.ok());
  EXPECT_THAT(link.error().message, HasSubstr("ended"));
}

TEST(Listener, WaitsNoLongerThanItsPatience) {
  const TemporaryDirectory folder;
  auto listener = Listener::open(folder.path() / "link");
  ASSERT_TRUE(listener.ok());
  EXPECT_FALSE(listener->accept(milliseconds(10), never_gone).ok());
}

TEST(Listener, APathThatNoSocketCanHaveIsAnErrorWithARemedy) {
  const auto listener = Listener::open("/tmp/" + std::string(200, 'x'));
  ASSERT_FALSE(listener.ok());
  EXPECT_THAT(listener.error().remedy, HasSubstr("TMPDIR"));
}

TEST(Listener, ThereIsNoConnectionWhereNobodyListens) { EXPECT_FALSE(connect_to("/nowhere/link")); }

}  // namespace
}  // namespace kgrade
