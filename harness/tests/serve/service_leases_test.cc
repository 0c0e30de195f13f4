// What a service does with jobs that it has lent to lanes on other machines, without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/service_lane.h"
#include "tests/serve/service_fixture.h"

namespace kgrade {
namespace service_leases_test {

using test::ann;
using test::bob;
using test::body;
using test::ServiceTest;
using testing::ElementsAre;
using testing::SizeIs;

TEST_F(ServiceTest, GivesAFailedJobToAnotherNodeIfThereIsOne) {
  open();
  const std::string id = submit();
  ASSERT_THAT(ask("one cuda:0"), ElementsAre(id));
  EXPECT_TRUE(fail(id, true));
  // The other node is at work, and will be free.
  const std::string filler = submit(bob);
  while (ask("two cuda:0") != std::vector{filler}) EXPECT_TRUE(give_back());
  const std::string of_two = lease;
  for (const char* const same : {"one cuda:0", "one cuda:1"}) EXPECT_THAT(ask(same), SizeIs(0));
  lease = of_two;
  EXPECT_TRUE(grade(filler, record()));
  EXPECT_THAT(ask("two cuda:0"), ElementsAre(id));
}

TEST_F(ServiceTest, GivesAFailedJobToTheSameNodeIfThereIsNoOther) {
  open();
  const std::string id = submit();
  ASSERT_THAT(ask("one cuda:0"), ElementsAre(id));
  EXPECT_TRUE(fail(id, true));
  EXPECT_THAT(ask("one cuda:0"), ElementsAre(id));
}

TEST_F(ServiceTest, GivesNoWorkToANodeThatRefusesThreeTimes) {
  open();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit());
  for (int i = 0; i < 3; ++i) {
    const auto got = ask("bad cuda:" + std::to_string(i), 1);
    ASSERT_THAT(got, SizeIs(1));
    EXPECT_TRUE(fail(got.front(), false));
  }
  EXPECT_THAT(ask("bad cuda:0"), SizeIs(0));
  service->wait_for_work({"bad cuda:0", "x"}, 50, [](const std::string&) {});
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "quarantined");
  EXPECT_FALSE(service->is_healthy());
  EXPECT_THAT(ask("good cuda:0", 1), SizeIs(1));
  pass(61);
  EXPECT_THAT(ask("bad cuda:0", 1), SizeIs(1));
}

// One report about a batch kept a node without work for an hour.
TEST_F(ServiceTest, AReportAboutManyJobsIsOneRefusal) {
  open();
  LeaseReport report;
  for (int i = 0; i < 24; ++i) report.results.push_back({submit(), "", "machine", "it broke"});
  ASSERT_THAT(ask("bad cuda:0"), SizeIs(24));
  EXPECT_TRUE(tell(report));
  EXPECT_THAT(ask("bad cuda:0"), SizeIs(1));
}

// Lanes of a node that is quarantined may have batches from before. What becomes of them makes it no longer.
TEST_F(ServiceTest, RefusalsDuringAQuarantineDoNotCount) {
  open();
  for (int i = 0; i < 9; ++i) submit();
  std::vector<std::pair<std::string, std::string>> lent;
  for (int i = 0; i < 9; ++i) {
    const auto got = ask("bad cuda:" + std::to_string(i), 1);
    ASSERT_THAT(got, SizeIs(1));
    lent.emplace_back(lease, got.front());
  }
  for (const auto& [of, id] : lent) {
    lease = of;
    EXPECT_TRUE(fail(id, false));
  }
  EXPECT_THAT(ask("bad cuda:0", 1), SizeIs(0));
  pass(61);
  EXPECT_THAT(ask("bad cuda:0", 1), SizeIs(1));
}

// A candidate that ends its node before anybody hears that it began was lent to one node after the other.
TEST_F(ServiceTest, LendsAJobToNoMoreThanFourNodesThatAreLost) {
  open();
  const std::string killer = submit();
  const std::string other = submit();
  int lost = 0;
  for (; result(killer)["state"] == "queued"; ++lost) {
    ASSERT_LT(lost, 10);
    const auto got = ask("node" + std::to_string(lost) + " cuda:0");
    ASSERT_FALSE(got.empty());
    if (got == std::vector{other}) {
      EXPECT_TRUE(grade(other, record()));
      --lost;
    } else {
      EXPECT_TRUE(tell({}));
      pass(62);
    }
  }
  EXPECT_EQ(lost, 4);
  EXPECT_EQ(result(killer)["fault"], "machine");
  EXPECT_NE(result(other)["outcome"], "failed");
}

// Its connection was lost before the answer.
TEST_F(ServiceTest, ALeaseThatNobodyGotIsNobodysFault) {
  open();
  const std::string id = submit();
  ASSERT_THAT(ask("node cuda:0"), ElementsAre(id));
  pass(17);
  EXPECT_FALSE(tell({}));
  EXPECT_EQ(service->find("ann", id)->failures, 0);
  EXPECT_EQ(service->find("ann", id)->losses, 0);
  ASSERT_THAT(ask("node cuda:0"), ElementsAre(id));
  EXPECT_TRUE(tell({}));
  pass(58);
  EXPECT_TRUE(tell({}));
}

TEST_F(ServiceTest, AllLanesOfANodeMayLoseTheirConnectionsAtOnce) {
  open();
  for (int i = 0; i < 4; ++i) submit();
  for (int i = 0; i < 4; ++i) ASSERT_THAT(ask("node cuda:" + std::to_string(i), 1), SizeIs(1));
  pass(17);
  EXPECT_THAT(ask("node cuda:0", 1), SizeIs(1));
}

TEST_F(ServiceTest, NodesThatNeverSayAWordAreNotForgivenForEver) {
  open();
  const std::string id = submit();
  int lost = 0;
  for (; !service->find("ann", id)->has_ended(); ++lost) {
    ASSERT_LT(lost, 10);
    ASSERT_THAT(ask("node" + std::to_string(lost) + " cuda:0"), ElementsAre(id));
    pass(17);
  }
  EXPECT_EQ(lost, 3);
  for (int i = 0; i < 20; ++i) submit();
  for (lost = 0; !ask("mute cuda:0", 1).empty(); ++lost) {
    ASSERT_LT(lost, 10);
    pass(17);
  }
  EXPECT_GE(lost, Quarantine::most_refusals);
}

// The answer with all jobs was too large, so the node never got it.
TEST_F(ServiceTest, LendsNoMoreThanFitsInAnAnswer) {
  open();
  const std::string large =
      body({{"candidate", {{"name", "a.cu"}, {"source", std::string(1'000'000, 'x')}}}});
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(submit(ann, large));
  EXPECT_EQ(ask("node cuda:0"), std::vector(ids.begin(), ids.begin() + 8));
  EXPECT_THAT(ask("node cuda:1"), ElementsAre(ids[8]));
}

}  // namespace service_leases_test
}  // namespace kgrade
