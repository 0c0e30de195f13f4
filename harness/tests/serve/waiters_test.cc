// When clients that wait for jobs are called.
#include <gtest/gtest.h>

#include "serve/events.h"

namespace kgrade::waiters_test {

TEST(Waiters, AreCalledOnceWhenOneOfTheirJobsEnds) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a", "b"}, false, 10, [&] { calls += 1; });
  waiters.ended("c");
  EXPECT_EQ(calls, 0);
  waiters.ended("b");
  waiters.ended("a");
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(waiters.take_late(11).empty());
}

TEST(Waiters, AreCalledWhenAllTheirJobsHaveEnded) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a", "b", "a"}, true, 10, [&] { calls += 1; });
  waiters.ended("a");
  EXPECT_EQ(calls, 0);
  waiters.ended("b");
  EXPECT_EQ(calls, 1);
}

TEST(Waiters, ThatAreLateAreTakenAndNotCalledAgain) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a"}, false, 10, [&] { calls += 1; });
  waiters.add({"a"}, false, 20, [&] { calls += 10; });
  EXPECT_TRUE(waiters.take_late(10).empty());
  EXPECT_EQ(waiters.take_late(11).size(), 1u);
  waiters.ended("a");
  EXPECT_EQ(calls, 10);
}

TEST(Waiters, MayWaitAgainWhenTheyAreCalled) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a"}, false, 10, [&] { waiters.add({"b"}, false, 10, [&] { calls += 1; }); });
  waiters.ended("a");
  waiters.ended("b");
  EXPECT_EQ(calls, 1);
}

}  // namespace kgrade::waiters_test
