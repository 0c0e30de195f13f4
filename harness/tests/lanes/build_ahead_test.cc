// What is built before it is graded: in which order, and how far ahead.
#include "lanes/build_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "tests/support/scratch_checkout.h"

namespace kgrade::build_ahead_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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

}  // namespace kgrade::build_ahead_test
