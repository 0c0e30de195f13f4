// What Slurm's commands print, in the form of version 22.05.
#include "sweep/slurm_client.h"

#include <gtest/gtest.h>

namespace kgrade {
namespace slurm_client_test {

TEST(ReadTasks, TakesTheLinesOfItsJob) {
  const auto tasks = read_tasks(
      "7_0|COMPLETED|None|n1\n"
      "7_1|RUNNING|None|n2\n"
      "7_10|PENDING|BeginTime|\n"
      "8_2|RUNNING|None|n2\n"
      "slurm_load_jobs: a warning\n"
      "7|PENDING|Priority|\n"
      "7_x|RUNNING|None|n0\n"
      "7_99999999999999999999|RUNNING|None|n0\n",
      "7");
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_TRUE(tasks.at(0).ended());
  EXPECT_EQ(tasks.at(0).node, "n1");
  EXPECT_FALSE(tasks.at(1).ended());
  EXPECT_TRUE(tasks.at(10).waits_for_nothing());
  EXPECT_FALSE(tasks.at(10).ended());
}

TEST(ReadTasks, KnowsWhatHasEndedAndWaitsForTheRest) {
  for (const char* state : {"FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED"})
    EXPECT_TRUE((SlurmTask{state, "", ""}.ended())) << state;
  for (const char* state : {"PENDING", "RUNNING", "COMPLETING", "REQUEUED", "SUSPENDED", "A_NEW_WORD"})
    EXPECT_FALSE((SlurmTask{state, "", ""}.ended())) << state;
  EXPECT_FALSE((SlurmTask{"PENDING", "Resources", ""}.waits_for_nothing()));
  EXPECT_FALSE((SlurmTask{"RUNNING", "BeginTime", ""}.waits_for_nothing()));
}

TEST(ReadTasks, KnowsWhatNoTimeWillStart) {
  for (const char* reason : {"JobHeldUser", "JobHeldAdmin", "launch failed requeued held", "BadConstraints"})
    EXPECT_TRUE((SlurmTask{"PENDING", reason, ""}.held())) << reason;
  for (const char* reason : {"Resources", "Priority", "BeginTime", "None", "JobArrayTaskLimit"})
    EXPECT_FALSE((SlurmTask{"PENDING", reason, ""}.held())) << reason;
  EXPECT_FALSE((SlurmTask{"RUNNING", "JobHeldUser", ""}.held()));
}

TEST(WhyHeld, IsForJobsThatWaitForNothingElse) {
  const SlurmTask ended{"COMPLETED", "None", "n1"};
  const SlurmTask held{"PENDING", "JobHeldAdmin", ""};
  const SlurmTask waiting{"PENDING", "Resources", ""};
  EXPECT_EQ(why_held({{0, ended}, {1, held}, {2, held}}), "JobHeldAdmin");
  EXPECT_EQ(why_held({{0, held}, {1, waiting}}), "");
  EXPECT_EQ(why_held({{0, ended}}), "");
  EXPECT_EQ(why_held({}), "");
}

TEST(ReadLargestArray, FindsItAmongTheOthers) {
  EXPECT_EQ(read_largest_array("MaxArrayTasks = 5\nMaxArraySize            = 11\nMaxJobCount = 10000\n"),
            11u);
  EXPECT_EQ(read_largest_array(""), 1001u);
  EXPECT_EQ(read_largest_array("MaxArraySize = many"), 1001u);
  EXPECT_EQ(read_largest_array("MaxArraySize = 0"), 1u) << "no array of none";
}

TEST(NodeWatch, NamesNodesOnWhichAllFailedWhileOthersGraded) {
  NodeWatch watch;
  watch.look_at(
      {{0, {"RUNNING", "None", "good"}}, {1, {"FAILED", "None", "bad"}}, {2, {"PENDING", "None", ""}}});
  watch.look_at({{0, {"FAILED", "None", "good"}},
                 {2, {"FAILED", "None", "bad"}},
                 {3, {"FAILED", "None", "mixed"}},
                 {4, {"COMPLETED", "None", "mixed"}},
                 {5, {"CANCELLED", "None", "cancelled"}}});
  const auto graded = [](std::size_t task) { return task == 0 || task == 4; };
  EXPECT_EQ(watch.end_of_job(graded), std::set<std::string>{"bad"});
  watch.look_at(
      {{0, {"FAILED", "None", "bad"}}, {1, {"FAILED", "None", "good"}}, {2, {"FAILED", "None", "worse"}}});
  EXPECT_EQ(watch.end_of_job([](std::size_t) { return false; }), std::set<std::string>{"worse"});
  EXPECT_EQ(watch.excluded(), (std::set<std::string>{"bad", "worse"}));
}

// The cause may then be the candidates, or no machines may be left.
TEST(NodeWatch, NamesNoneWhereNobodyGraded) {
  NodeWatch watch;
  watch.look_at({{0, {"FAILED", "None", "one"}}, {1, {"FAILED", "None", "other"}}});
  EXPECT_TRUE(watch.end_of_job([](std::size_t) { return false; }).empty());
  EXPECT_TRUE(watch.excluded().empty());
}

TEST(NodeWatch, NodesAreExcludedBesideThoseThatTheUserExcludes) {
  using Options = std::vector<std::string>;
  EXPECT_EQ(without_nodes({"--time=5"}, {}), Options{"--time=5"});
  EXPECT_EQ(without_nodes({"--time=5"}, {"n1", "n3"}), (Options{"--time=5", "--exclude=n1,n3"}));
  EXPECT_EQ(without_nodes({"--exclude=n7"}, {"n1"}).back(), "--exclude=n7,n1");
  EXPECT_EQ(without_nodes({"-xn[7-8]"}, {"n1"}).back(), "--exclude=n[7-8],n1");
}

}  // namespace slurm_client_test
}  // namespace kgrade
