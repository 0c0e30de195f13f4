// Who grades what next, and what happens to tasks whose lane fails.
#include "sweep/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace kgrade {
namespace queue_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Groups = std::vector<std::optional<std::size_t>>;

SweepBatch take(SweepQueue& queue, std::optional<std::size_t> last = std::nullopt) {
  const auto batch = queue.take(last);
  EXPECT_TRUE(batch.has_value());
  return batch.value_or(SweepBatch{});
}

std::vector<std::size_t> given_up(const SweepQueue& queue) {
  std::vector<std::size_t> tasks;
  for (const SweepFailure& failure : queue.failures()) tasks.push_back(failure.task);
  return tasks;
}

TEST(SweepQueue, HasNothingForWhatIsDone) {
  SweepQueue queue(Groups{std::nullopt, std::nullopt}, 2);
  EXPECT_EQ(queue.left(), 0u);
  EXPECT_FALSE(queue.take(std::nullopt));
}

TEST(SweepQueue, ABatchIsALanesShareOfWhatIsLeft) {
  SweepQueue queue(Groups(10, 7), 3);
  const SweepBatch first = take(queue);
  EXPECT_EQ(first.group, 7u);
  EXPECT_THAT(first.tasks, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(take(queue).tasks, ElementsAre(4, 5));
  EXPECT_THAT(take(queue).tasks, ElementsAre(6, 7));
  EXPECT_THAT(take(queue).tasks, ElementsAre(8));
  EXPECT_THAT(take(queue).tasks, ElementsAre(9));
  EXPECT_FALSE(queue.take(7));
  EXPECT_EQ(queue.left(), 10u);
}

TEST(SweepQueue, ABatchIsNeverLargerThanTheLargest) {
  SweepQueue queue(Groups(1000, 0), 1);
  EXPECT_EQ(take(queue).tasks.size(), SweepQueue::largest_batch);
}

// The lane stood still for two minutes while a compiler was at work.
TEST(SweepQueue, WhatIsStillBeingBuiltWaitsForWhatIsNot) {
  SweepQueue queue(Groups{0, 0, 1, 2}, 1);
  const auto is_late = [](std::size_t task) { return task != 1 && task != 3; };
  EXPECT_THAT(queue.take(1, {}, is_late)->tasks, ElementsAre(1));
  EXPECT_THAT(queue.take(1, {}, is_late)->tasks, ElementsAre(3));
  EXPECT_THAT(queue.take(1, {}, is_late)->tasks, ElementsAre(2));
  EXPECT_THAT(queue.take(1, {}, is_late)->tasks, ElementsAre(0));
  EXPECT_FALSE(queue.take(1, {}, is_late));
}

TEST(SweepQueue, WithoutLanesOneIsAssumed) {
  SweepQueue queue(Groups(4, 0), 0);
  EXPECT_EQ(take(queue).tasks.size(), 4u);
}

TEST(SweepQueue, PrefersTheGroupThatTheLaneHasBuilt) {
  SweepQueue queue(Groups{0, 0, 1, 1, 1, 1}, 2);
  EXPECT_EQ(take(queue, 0).group, 0u);
  EXPECT_EQ(take(queue, 0).group, 0u);
  EXPECT_EQ(take(queue, 0).group, 1u);  // nothing is left of the other
}

TEST(SweepQueue, ElseTheGroupWithTheMostLeft) {
  SweepQueue queue(Groups{0, 1, 1, 1, 2, 2}, 1);
  EXPECT_EQ(take(queue).group, 1u);
  EXPECT_EQ(take(queue).group, 2u);
  EXPECT_EQ(take(queue, 9).group, 0u);
}

TEST(SweepQueue, GivesWhatIsAvoidedWhereNothingElseWaits) {
  SweepQueue queue(Groups{0, 0, 0, 1, 2, 2}, 1);
  EXPECT_EQ(queue.take(0, {0})->group, 2u);
  EXPECT_EQ(queue.take(0, {0})->group, 1u);
  EXPECT_EQ(queue.take(0, {0})->group, 0u);
  EXPECT_FALSE(queue.take(0, {0}));
}

TEST(SweepQueue, WhatIsGivenBackLosesNoTry) {
  SweepQueue queue(Groups(3, 0), 1);
  queue.finished(0);
  for (int i = 0; i < 9; ++i) {
    const SweepBatch batch = take(queue);
    EXPECT_EQ(batch.tasks.size(), i == 0 ? 3u : 2u);
    queue.give_back(batch, i == 0 ? 1 : 0);
  }
  EXPECT_EQ(queue.left(), 2u);
  EXPECT_THAT(queue.failures(), IsEmpty());
}

TEST(SweepQueue, AFailureThatIsForgivenCostsNoTry) {
  SweepQueue queue(Groups(1, 0), 1);
  queue.failed(take(queue), 0, false, "no device");
  queue.take_back_failure(0);
  queue.failed(take(queue), 0, false, "died");
  EXPECT_EQ(queue.left(), 1u);
  queue.failed(take(queue), 0, false, "died");
  EXPECT_THAT(given_up(queue), ElementsAre(0));
}

TEST(SweepQueue, WhatWasBeingGradedIsTriedAgainAlone) {
  SweepQueue queue(Groups(4, 0), 1);
  const SweepBatch batch = take(queue);
  queue.finished(0);
  queue.failed(batch, 1, true, "died");
  EXPECT_EQ(queue.left(), 3u);
  EXPECT_THAT(take(queue).tasks, ElementsAre(2, 3));  // those that had no part in it, as they were
  EXPECT_THAT(take(queue).tasks, ElementsAre(1));
  EXPECT_FALSE(queue.take(std::nullopt));
  EXPECT_THAT(queue.failures(), IsEmpty());
}

TEST(SweepQueue, ASuspectIsAloneEvenAmongSuspects) {
  SweepQueue queue(Groups(3, 0), 1);
  SweepBatch batch = take(queue);
  queue.failed(batch, 0, true, "died");
  batch = take(queue);
  queue.failed(batch, 0, true, "died");
  batch = take(queue);
  queue.failed(batch, 0, true, "died");
  EXPECT_THAT(take(queue).tasks, ElementsAre(0));
  EXPECT_THAT(take(queue).tasks, ElementsAre(1));
  EXPECT_THAT(take(queue).tasks, ElementsAre(2));
}

TEST(SweepQueue, ASecondFailureIsTheLast) {
  SweepQueue queue(Groups(2, 0), 1);
  queue.failed(take(queue), 0, true, "died once");
  const SweepBatch other = take(queue);
  queue.finished(other.tasks[0]);
  queue.failed(take(queue), 0, true, "died twice");
  EXPECT_EQ(queue.left(), 0u);
  ASSERT_EQ(queue.failures().size(), 1u);
  EXPECT_EQ(queue.failures()[0].task, 0u);
  EXPECT_EQ(queue.failures()[0].message, "died twice");
}

TEST(SweepQueue, AfterTheEndOfABatchNothingHasFailed) {
  SweepQueue queue(Groups(2, 0), 1);
  const SweepBatch batch = take(queue);
  for (const std::size_t task : batch.tasks) queue.finished(task);
  queue.failed(batch, 2, false, "the run ended");
  EXPECT_EQ(queue.left(), 0u);
  EXPECT_FALSE(queue.take(std::nullopt));
  EXPECT_THAT(queue.failures(), IsEmpty());
}

TEST(SweepQueue, OfABatchThatIsRefusedEachIsTriedAloneBeforeAnyIsBlamed) {
  SweepQueue queue(Groups(3, 0), 1);
  queue.failed(take(queue), 0, false, "cannot read 1");
  EXPECT_THAT(take(queue).tasks, ElementsAre(0));
  queue.finished(0);
  for (int i = 0; i < 2; ++i) {
    const SweepBatch alone = i == 0 ? take(queue) : (take(queue), take(queue));
    EXPECT_THAT(alone.tasks, ElementsAre(1));
    queue.failed(alone, 0, false, "cannot read 1");
  }
  EXPECT_THAT(given_up(queue), ElementsAre(1));
  EXPECT_EQ(queue.left(), 1u);  // the lane still has it
}

TEST(SweepQueue, WhatIsLeftOfABatchThatEndsBetweenTwoIsTriedAlone) {
  SweepQueue queue(Groups(4, 0), 1);
  const SweepBatch batch = take(queue);
  queue.finished(0);
  queue.failed(batch, 1, false, "no memory");
  for (const std::size_t task : {1u, 2u, 3u}) EXPECT_THAT(take(queue).tasks, ElementsAre(task));
  EXPECT_EQ(queue.left(), 3u);
}

// Batches of one, as if there were many lanes.
SweepBatch take_one(SweepQueue& queue, std::optional<std::size_t> last = std::nullopt) {
  const SweepBatch batch = take(queue, last);
  EXPECT_EQ(batch.tasks.size(), 1u);
  return batch;
}

TEST(SweepQueue, AGroupOfWhichThreeAreRefusedWithTheSameWordsIsGivenUp) {
  SweepQueue queue(Groups{0, 0, 0, 0, 0, 1}, 9);
  for (int i = 0; i < 3; ++i) queue.failed(take_one(queue, 0), 0, false, "no oracle");
  EXPECT_EQ(queue.left(), 1u);
  EXPECT_THAT(given_up(queue), UnorderedElementsAre(0, 1, 2, 3, 4));
  for (const SweepFailure& failure : queue.failures()) EXPECT_EQ(failure.message, "no oracle");
  EXPECT_THAT(take(queue, 0).tasks, ElementsAre(5));
}

TEST(SweepQueue, OneThatIsRefusedAgainAndAgainDoesNotSpeakForItsGroup) {
  SweepQueue queue(Groups(2, 0), 9);
  const SweepBatch guilty = take_one(queue);
  queue.failed(guilty, 0, false, "cannot read it");
  const SweepBatch other = take_one(queue);
  queue.failed(take_one(queue), 0, false, "cannot read it");
  queue.failed(other, 0, false, "cannot read it");
  EXPECT_THAT(given_up(queue), ElementsAre(0));
  EXPECT_THAT(take_one(queue).tasks, ElementsAre(1));
}

TEST(SweepQueue, WhatAnotherLaneHasOfSuchAGroupIsGivenUpWhenThatFailsToo) {
  SweepQueue queue(Groups(6, 0), 9);
  const SweepBatch elsewhere = take_one(queue);
  for (int i = 0; i < 3; ++i) queue.failed(take_one(queue), 0, false, "no oracle");
  EXPECT_EQ(queue.left(), 1u);
  queue.failed(elsewhere, 0, false, "no oracle");
  EXPECT_EQ(queue.left(), 0u);
  EXPECT_EQ(queue.failures().size(), 6u);
}

TEST(SweepQueue, OtherWordsOrACandidateThatBeginsClearAGroup) {
  SweepQueue queue(Groups(8, 0), 9);
  queue.failed(take_one(queue), 0, false, "no oracle");
  queue.failed(take_one(queue), 0, false, "no oracle");
  queue.failed(take_one(queue), 0, false, "no memory");
  queue.failed(take_one(queue), 0, true, "died");
  queue.failed(take_one(queue), 0, false, "no memory");
  queue.failed(take_one(queue), 0, false, "no memory");
  EXPECT_EQ(queue.left(), 8u);
  EXPECT_THAT(queue.failures(), IsEmpty());
}

// Any number of lanes, any pattern of failures: every task ends exactly once, and the queue is empty at the
// end.
class Simulation {
 public:
  explicit Simulation(unsigned seed)
      : random_(seed),
        groups_(tasks()),
        lanes_(1 + random_() % 5),
        queue_(groups_, lanes_),
        failures_of_100_(random_() % 101) {}

  void run() {
    std::vector<std::optional<SweepBatch>> held(lanes_);
    for (int step = 0; queue_.left() > 0; ++step) {
      ASSERT_LT(step, 100000) << "the queue does not run dry";
      auto& lane = held[random_() % lanes_];
      if (!lane) lane = queue_.take(any_group());
      if (lane && random_() % 2 == 0) {
        end(*lane);
        lane.reset();
      }
    }
    expect_each_ended_once();
  }

 private:
  bool chance(std::size_t percent) { return random_() % 100 < percent; }

  Groups tasks() {
    Groups groups(random_() % 200);
    for (auto& group : groups) {
      if (!chance(20)) group = random_() % 6;
    }
    return groups;
  }

  std::optional<std::size_t> any_group() {
    return chance(50) ? std::optional<std::size_t>(random_() % 6) : std::nullopt;
  }

  void end(const SweepBatch& batch) {
    std::size_t graded = 0;
    while (graded < batch.tasks.size() && !chance(failures_of_100_)) {
      EXPECT_EQ(groups_[batch.tasks[graded]], batch.group);
      queue_.finished(batch.tasks[graded]);
      finished_.push_back(batch.tasks[graded++]);
    }
    if (graded < batch.tasks.size() || chance(50))
      queue_.failed(batch, graded, chance(50), chance(50) ? "these words" : "those words");
  }

  void expect_each_ended_once() {
    std::vector<std::size_t> ended = finished_;
    for (const SweepFailure& failure : queue_.failures()) ended.push_back(failure.task);
    std::sort(ended.begin(), ended.end());
    std::vector<std::size_t> wanted;
    for (std::size_t task = 0; task < groups_.size(); ++task) {
      if (groups_[task]) wanted.push_back(task);
    }
    EXPECT_EQ(ended, wanted);
    EXPECT_FALSE(queue_.take(std::nullopt));
  }

  std::mt19937 random_;
  Groups groups_;
  std::size_t lanes_;
  SweepQueue queue_;
  std::size_t failures_of_100_;
  std::vector<std::size_t> finished_;
};

TEST(SweepQueue, EveryTaskEndsOnceWhateverFails) {
  for (unsigned seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Simulation(seed).run();
  }
}

}  // namespace queue_test
}  // namespace kgrade
