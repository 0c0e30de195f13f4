// What a service does with jobs that it has given to lanes on other machines, without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/service_fixture.h"

namespace kgrade::service_lanes_test {

using test::ann;
using test::bob;
using test::ServiceTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ServiceTest, GivesNoWorkToALaneThatStillStarts) {
  open_elsewhere(2);
  const std::string first = submit(), second = submit();
  tick();
  EXPECT_THAT(jobs_of(0), IsEmpty());
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "starting");
  EXPECT_FALSE(service->is_healthy());
  EXPECT_THAT(ask(1), ElementsAre(first, second)) << "the share of the lane that is there";
  EXPECT_TRUE(service->is_healthy());
  EXPECT_THAT(jobs_of(0), IsEmpty());
}

TEST_F(ServiceTest, GivesAFailedJobToAnotherLaneIfThereIsOne) {
  open_elsewhere(2);
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  // The other lane is at work, and will be free.
  const std::string filler = submit(bob);
  ASSERT_THAT(ask(1), ElementsAre(filler));
  fail(id, true, 0);
  ASSERT_THAT(fakes, SizeIs(3)) << "the lane is started again";
  EXPECT_THAT(ask(2), IsEmpty());
  grade(filler, record(), 1);
  EXPECT_THAT(jobs_of(1), ElementsAre(id));
}

TEST_F(ServiceTest, GivesAFailedJobToTheSameLaneIfThereIsNoOther) {
  open_elsewhere();
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  fail(id, true, 0);
  EXPECT_THAT(ask(1), ElementsAre(id));
}

// Each time it is started anew.
TEST_F(ServiceTest, GivesNoWorkToALaneThatRefusesThreeTimes) {
  open_elsewhere();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit());
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto got = ask(lane);
    ASSERT_FALSE(got.empty());
    fail(got.front(), false, lane);
  }
  EXPECT_THAT(fakes, SizeIs(3));
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "quarantined");
  EXPECT_FALSE(service->is_healthy());
  pass(61);
  ASSERT_THAT(fakes, SizeIs(4));
  EXPECT_FALSE(ask(3).empty());
}

TEST_F(ServiceTest, ALaneThatEndsLosesNoJob) {
  open_elsewhere();
  const std::string first = submit(), second = submit();
  ASSERT_THAT(ask(0), ElementsAre(first, second));
  begin(first);
  fakes[0].socket.reset();
  tick();
  ASSERT_THAT(ask(1), ElementsAre(first)) << "alone";
  grade(first, record(), 1);
  EXPECT_EQ(result(first)["verdict"], "accepted");
  EXPECT_THAT(jobs_of(1), ElementsAre(second));
}

TEST_F(ServiceTest, ACandidateThatEndsTwoLanesHasNoVerdict) {
  open_elsewhere();
  const std::string id = submit();
  for (std::size_t lane = 0; lane < 2; ++lane) {
    ASSERT_THAT(ask(lane), ElementsAre(id));
    begin(id, lane);
    fakes[lane].socket.reset();
    tick();
  }
  EXPECT_EQ(result(id)["outcome"], "failed");
  EXPECT_EQ(result(id)["fault"], "machine");
}

// A record that comes for a batch of before, or in the middle of a line.
TEST_F(ServiceTest, TakesNoAnswerToAnotherBatch) {
  open_elsewhere();
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  Record with = record();
  with.candidates[0].path = fakes[0].job.candidates[0];
  LaneMessage late{LaneMessage::Kind::graded, 0, to_text(with)};
  late.batch = std::string(32, '0');
  fakes[0].say(to_line(late));
  const std::string torn = to_line(late);
  fakes[0].say(torn.substr(0, torn.size() / 2));
  tick();
  EXPECT_EQ(result(id)["state"], "queued");
  grade(id, record());
  EXPECT_EQ(result(id)["verdict"], "accepted");
}

TEST_F(ServiceTest, ALaneOfAnotherBuildGetsNothing) {
  open_elsewhere();
  submit();
  LaneHello other = hello_of_this_program("auto");
  other.build = "0.0";
  fakes[0].say(to_line(other));
  tick();
  tick();
  EXPECT_THAT(jobs_of(0), IsEmpty());
}

TEST_F(ServiceTest, StopsAJobThatIsCancelled) {
  open_elsewhere();
  const std::string first = submit(), second = submit();
  ASSERT_THAT(ask(0), ElementsAre(first, second));
  begin(first);
  EXPECT_TRUE(service->cancel("ann", first));
  tick();
  char byte = 0;
  while (::recv(fakes[0].socket.get(), &byte, 1, MSG_DONTWAIT) == 1) {
  }
  EXPECT_EQ(::recv(fakes[0].socket.get(), &byte, 1, MSG_DONTWAIT), 0) << "its input has ended";
  EXPECT_THAT(ask(1), ElementsAre(second));
}

}  // namespace kgrade::service_lanes_test
