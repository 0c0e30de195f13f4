// Which jobs a lane gets next.
#include "lanes/queue.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "lanes/build_ahead.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::queue_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> ids_of(const std::vector<QueuedJob>& jobs) {
  std::vector<std::string> ids;
  for (const QueuedJob& job : jobs) ids.push_back(job.id);
  return ids;
}

std::vector<std::string> take(JobQueue& queue, const std::string& last = "") {
  return ids_of(queue.take(Warmth(last)));
}

TEST(JobQueue, JobsOfOneProblemRunTogetherInTheOrderOfArrival) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax"});
  queue.add({"2", "ann", "cumsum"});
  queue.add({"3", "ann", "softmax"});
  EXPECT_THAT(take(queue), ElementsAre("1", "3"));
  EXPECT_THAT(take(queue), ElementsAre("2"));
  EXPECT_THAT(take(queue), IsEmpty());
}

// Builders that knew only the next batch stood idle while it was graded.
TEST(JobQueue, TheJobsAfterTheNextBatchAreKnownToo) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax"});
  queue.add({"2", "ann", "cumsum", true});
  queue.add({"3", "ann", "gelu"});
  queue.add({"4", "ann", "cumsum"});
  queue.add({"5", "ann", "softmax"});
  queue.add({"6", "ann", "gelu"});
  const std::vector<std::string> all = ids_of(queue.upcoming(Warmth("gelu"), 10));
  EXPECT_THAT(all, ElementsAre("3", "6", "1", "5", "4", "2"));
  EXPECT_THAT(ids_of(queue.upcoming(Warmth("gelu"), 4)), ElementsAre("3", "6", "1", "5"));
  EXPECT_THAT(queue.upcoming(Warmth(), 10).front().id, "1");
  // It is the order in which a lane gets them.
  std::vector<std::string> taken;
  for (std::string warm = "gelu"; queue.size() > 0;) {
    for (const QueuedJob& job : queue.take(Warmth(warm))) {
      taken.push_back(job.id);
      warm = job.batch;
    }
  }
  EXPECT_EQ(taken, all);
}

TEST(JobQueue, OwnersTakeTurnsInWhatComesAfterTheNextBatch) {
  JobQueue queue(1);
  queue.add({"a1", "ann", "softmax"});
  queue.add({"a2", "ann", "cumsum"});
  queue.add({"b1", "bob", "gelu"});
  queue.add({"b2", "bob", "gelu"});
  EXPECT_THAT(ids_of(queue.upcoming(Warmth(), 10)), ElementsAre("a1", "b1", "a2", "b2"));
  EXPECT_THAT(JobQueue(1).upcoming(Warmth(), 10), IsEmpty());
}

TEST(JobQueue, ABatchHasALimitOfBytesAndAtLeastOneJob) {
  JobQueue queue(1);
  for (const char* const id : {"1", "2", "3", "4"}) queue.add({id, "ann", "softmax", false, false, "", 10});
  const auto next = [&queue](std::size_t most_bytes) {
    std::vector<std::string> ids;
    for (const QueuedJob& job : queue.take(Warmth(), 32, most_bytes)) ids.push_back(job.id);
    return ids;
  };
  EXPECT_THAT(next(20), ElementsAre("1", "2"));
  EXPECT_THAT(next(9), ElementsAre("3"));
  EXPECT_THAT(next(19), ElementsAre("4"));
}

TEST(JobQueue, ALaneGoesOnWithTheProblemThatItIsWarmFor) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax"});
  queue.add({"2", "ann", "cumsum"});
  EXPECT_THAT(take(queue, "cumsum"), ElementsAre("2"));
}

// A problem whose jobs kept coming held up another one for ever.
TEST(JobQueue, ALaneLeavesItsProblemAfterSomeBatchesWhileAnOlderJobWaits) {
  JobQueue queue(1);
  Warmth warmth;
  warmth.took("softmax");
  queue.add({"old", "ann", "cumsum"});
  int batches = 1;
  for (;; ++batches) {
    queue.add({std::to_string(batches), "ann", "softmax"});
    const auto batch = queue.take(warmth);
    warmth.took(batch.front().batch);
    if (batch.front().id == "old") break;
    ASSERT_LT(batches, 100);
  }
  EXPECT_EQ(batches, Warmth::most_batches);
  EXPECT_EQ(warmth.preferred(), "cumsum");
}

TEST(JobQueue, JobsAreDividedAmongTheLanes) {
  JobQueue queue(2);
  for (const char* const id : {"1", "2", "3"}) queue.add({id, "ann", "softmax"});
  EXPECT_THAT(take(queue), ElementsAre("1", "2"));
  EXPECT_THAT(take(queue), ElementsAre("3"));
}

TEST(JobQueue, ALaneTakesItsShareOfAllJobsFromOneProblem) {
  JobQueue queue(2);
  for (const char* const id : {"s1", "s2", "s3"}) queue.add({id, "ann", "softmax"});
  for (const char* const id : {"c1", "c2", "c3"}) queue.add({id, "ann", "cumsum"});
  for (const char* const id : {"l1", "l2", "l3"}) queue.add({id, "ann", "softmax", true});
  EXPECT_THAT(take(queue), ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT(take(queue), ElementsAre("c1", "c2"));
  EXPECT_THAT(take(queue, "softmax"), ElementsAre("c3"));
  EXPECT_THAT(take(queue), ElementsAre("l1", "l2"));
}

TEST(JobQueue, LowPriorityWaitsForNormal) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax", true});
  queue.add({"2", "ann", "cumsum"});
  queue.add({"3", "ann", "softmax"});
  EXPECT_THAT(take(queue, "softmax"), ElementsAre("3"));
  EXPECT_THAT(take(queue, "softmax"), ElementsAre("2"));
  EXPECT_THAT(take(queue, "softmax"), ElementsAre("1"));
}

TEST(JobQueue, AJobThatHasToBeAloneIsAlone) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax", false, true});
  queue.add({"2", "ann", "softmax"});
  queue.add({"3", "ann", "softmax"});
  EXPECT_THAT(take(queue), ElementsAre("1"));
  EXPECT_THAT(take(queue), ElementsAre("2", "3"));
}

TEST(JobQueue, TheOwnerWhoHasUsedLessLaneTimeIsNext) {
  JobQueue queue(1);
  for (const char* const id : {"a1", "a2"}) queue.add({id, "ann", id});
  queue.add({"b1", "bob", "softmax"});
  EXPECT_THAT(take(queue), ElementsAre("a1"));
  queue.charge("ann", 10);
  EXPECT_THAT(take(queue), ElementsAre("b1"));
}

TEST(JobQueue, ALaneGetsWhatIsReady) {
  JobQueue queue(1);
  for (const char* const id : {"a1", "a2", "a3"}) queue.add({id, "ann", "softmax"});
  queue.add({"b1", "bob", "softmax"});
  const auto ids = [&queue](const std::set<std::string>& ready) {
    std::vector<std::string> taken;
    for (const QueuedJob& job : queue.take(Warmth(), JobQueue::largest_batch, SIZE_MAX,
                                           [&](const QueuedJob& one) { return ready.contains(one.id); }))
      taken.push_back(job.id);
    return taken;
  };
  EXPECT_THAT(ids({}), IsEmpty());
  EXPECT_THAT(ids({"b1"}), ElementsAre("b1"));
  EXPECT_THAT(ids_of(queue.firsts()), ElementsAre("a1"));
  EXPECT_THAT(ids({"a1", "a3"}), ElementsAre("a1", "a3"));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(JobQueue, AFloodDoesNotKeepAnotherOwnerWaitingForAWholeBatch) {
  JobQueue queue(1);
  for (int i = 0; i < 100; ++i) queue.add({std::to_string(i), "ann", "softmax"});
  EXPECT_EQ(take(queue).size(), JobQueue::largest_batch);
  queue.charge("ann", 1);
  queue.add({"b1", "bob", "cumsum"});
  queue.charge("bob", 100);
  EXPECT_EQ(take(queue).size(), JobQueue::largest_shared_batch);
}

TEST(JobQueue, APauseSavesNoCredit) {
  JobQueue queue(1);
  queue.add({"a1", "ann", "softmax"});
  queue.charge("ann", 1000);
  queue.add({"b1", "bob", "softmax"});
  // Bob starts level with Ann, and the first of equals is served.
  EXPECT_THAT(take(queue), ElementsAre("a1"));
}

TEST(JobQueue, ARemovedJobIsNotTaken) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax"});
  queue.add({"2", "ann", "softmax"});
  EXPECT_TRUE(queue.remove("1"));
  EXPECT_FALSE(queue.remove("1"));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_THAT(take(queue), ElementsAre("2"));
}

TEST(JobQueue, AJobThatIsGivenBackIsNextAgain) {
  JobQueue queue(1);
  queue.add({"1", "ann", "softmax"});
  queue.add({"2", "ann", "softmax"});
  queue.give_back({"0", "ann", "softmax"});
  EXPECT_THAT(take(queue), ElementsAre("0", "1", "2"));
}

TEST(JobQueue, APositionCountsTheJobsBefore) {
  JobQueue queue(1);
  for (const char* const id : {"a1", "a2", "a3"}) queue.add({id, "ann", id});
  queue.add({"b1", "bob", "b"});
  EXPECT_EQ(queue.position("a1"), 0u);
  EXPECT_EQ(queue.position("a3"), 3u);
  EXPECT_EQ(queue.position("b1"), 0u);
  EXPECT_EQ(queue.position("c"), std::nullopt);
  EXPECT_EQ(queue.positions("ann").at("a3"), 3u);
  EXPECT_EQ(queue.positions("ann").size(), 3u);
  EXPECT_TRUE(queue.positions("eve").empty());
}

// What is built before it is graded: in which order, and how far ahead.

class BuildingAhead : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KGRADE_CACHE_DIR", (checkout_.path() / "cache").c_str(), 1);
    ::setenv("KGRADE_CACHE_LIMIT", "1G", 1);
    checkout_.add_problem("alpha");
    for (char name = 'a'; name <= 'l'; ++name)
      checkout_.add_candidate("alpha/" + std::string(1, name) + ".cu");
  }

  void TearDown() override {
    ::unsetenv("KGRADE_CACHE_DIR");
    ::unsetenv("KGRADE_CACHE_LIMIT");
  }

  // The task for the candidate with that number, in the order of their names.
  static BuildTask task(std::size_t number) { return {std::to_string(number), "alpha"}; }

  BuildAhead builders(int count = 1) const {
    std::vector<std::string> files;
    for (const auto& file : fs::directory_iterator(checkout_.path() / "solutions/alpha"))
      files.push_back(file.path().string());
    std::sort(files.begin(), files.end());
    return {count,
            {{KGRADE_FAKE_LANE}},
            [problem = checkout_.path() / "problems/alpha.md", files](const BuildTask& one) {
              LaneJob job;
              job.problem = problem.string();
              job.candidates = {files[std::stoul(one.key)]};
              return job;
            }};
  }

  static void until_idle(BuildAhead& ahead, const std::vector<std::size_t>& numbers) {
    std::vector<BuildTask> upcoming;
    for (const std::size_t number : numbers) upcoming.push_back(task(number));
    for (ahead.go_on(upcoming); !ahead.is_idle(); ahead.go_on(upcoming)) {
      std::vector<pollfd> sockets;
      for (const int descriptor : ahead.descriptors()) sockets.push_back({descriptor, POLLIN, 0});
      ASSERT_GT(::poll(sockets.data(), sockets.size(), 60000), 0);
      ahead.hear();
    }
  }

  // Since the last call.
  std::vector<std::string> built() {
    const fs::path file = checkout_.path() / "problems/built";
    std::istringstream lines(test::content_of(file));
    fs::remove(file);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
  }

  test::ScratchCheckout checkout_;
};

TEST_F(BuildingAhead, IsInTheOrderOfTheGradingAndNeverTwice) {
  BuildAhead ahead = builders();
  until_idle(ahead, {3, 1, 0});
  EXPECT_THAT(built(), ElementsAre("d", "trusted", "b", "a"));
  until_idle(ahead, {1, 0, 5});
  EXPECT_THAT(built(), ElementsAre("f"));
}

TEST_F(BuildingAhead, GoesSoFarAndNoFurther) {
  BuildAhead ahead = builders();
  EXPECT_EQ(ahead.horizon(), BuildAhead::tasks_per_builder);
  until_idle(ahead, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(built(), ElementsAre("a", "trusted", "b", "c", "d"));
  until_idle(ahead, {2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(built(), ElementsAre("e", "f"));
}

// What is built beyond that could be evicted before it is used.
TEST_F(BuildingAhead, TakesHalfOfTheCacheAtMost) {
  ::setenv("KGRADE_CACHE_LIMIT", "6M", 1);
  BuildAhead ahead = builders(2);
  until_idle(ahead, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(built().size(), 3u);
  until_idle(ahead, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(built(), IsEmpty());
  ahead.finished(task(0).key);  // its own, and what its problem is graded with
  until_idle(ahead, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(built().size(), 2u);
}

TEST_F(BuildingAhead, GoesOnAfterABuilderThatDies) {
  checkout_.add_candidate("alpha/breaks-builder.cu");
  BuildAhead ahead = builders();  // the new candidate is behind a and b
  until_idle(ahead, {1, 2, 3});
  EXPECT_THAT(built(), ElementsAre("b", "trusted", "breaks-builder", "c"));
}

// Four slow compiles of one student held the right kernel of another for 72 s.
TEST_F(BuildingAhead, GivesEachOwnerABuilderWhateverTheOthersBuild) {
  checkout_.add_candidate("alpha/builds-for-ever.cu");
  BuildAhead ahead = builders();  // the new candidate is behind a and b
  const BuildTask slow{"2", "alpha", "ann"}, next{"3", "alpha", "ann"}, quick{"0", "alpha", "bob"};
  ahead.go_on({slow, next});
  EXPECT_TRUE(ahead.is_being_built(slow.key));
  ahead.go_on({slow, next, quick});
  EXPECT_TRUE(ahead.is_being_built(quick.key));
  EXPECT_FALSE(ahead.is_being_built(next.key));
  const auto slow_has_begun = [&] {
    return test::content_of(checkout_.path() / "problems/built").find("builds-for-ever") != std::string::npos;
  };
  for (int i = 0; i < 6000 && (!ahead.was_built(quick.key) || !slow_has_begun()); ++i) {
    ::usleep(10'000);
    ahead.hear();
  }
  EXPECT_TRUE(ahead.was_built(quick.key));
  EXPECT_FALSE(ahead.was_built(slow.key));
  EXPECT_FALSE(ahead.was_built(next.key));
  // Which of the two builders begins first is up to the machine.
  EXPECT_THAT(built(), UnorderedElementsAre("builds-for-ever", "a"));
}

TEST_F(BuildingAhead, IsNotDoneWithoutACache) {
  ::setenv("KGRADE_CACHE_DIR", "", 1);
  BuildAhead ahead = builders();
  EXPECT_EQ(ahead.horizon(), 0u);
  until_idle(ahead, {0, 1});
  EXPECT_THAT(built(), IsEmpty());
}

}  // namespace kgrade::queue_test
