// What the names of KernelBench's files say.
#include "problem/kernelbench_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kgrade {
namespace kernelbench_names_test {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::filesystem::path> problems = {
    "KernelBench/level1/1_Square_matrix_multiplication_.py",
    "KernelBench/level1/2_Standard_matrix_multiplication_.py",
    "KernelBench/level1/23_Softmax.py",
    "KernelBench/level2/1_Conv2D_ReLU_BiasAdd.py",
    "KernelBench/level2/23_Conv3d_GroupNorm_Mean.py",
    "KernelBench/level3/1_MLP.py",
    "own/Softmax_rows.py",
};

std::vector<std::string> matched(const std::string& candidate) {
  std::vector<std::string> names;
  for (const std::size_t i : matching_problems(candidate, problems))
    names.push_back(problems[i].parent_path().filename() / problems[i].stem());
  return names;
}

TEST(KernelBenchNames, ProblemsHaveANumberAndALevel) {
  EXPECT_EQ(read_problem_name("KernelBench/level1/23_Softmax.py"), (KernelBenchName{1, 23, {}}));
  EXPECT_EQ(read_problem_name("Level_2/100_HingeLoss.py"), (KernelBenchName{2, 100, {}}));
  EXPECT_EQ(read_problem_name("sublevel2/3D_conv.py"), KernelBenchName{}) << "3D is no number";
  EXPECT_EQ(read_problem_name("level1/99999999999999999999_x.py"), (KernelBenchName{1, {}, {}}));
}

TEST(KernelBenchNames, CandidatesSayLevelProblemAndSample) {
  EXPECT_EQ(read_candidate_name("runs/mine/level_1_problem_23_sample_4_kernel.py"),
            (KernelBenchName{1, 23, 4}));
  EXPECT_EQ(read_candidate_name("mine/Level1-Problem23-Sample10.cu"), (KernelBenchName{1, 23, 10}));
  EXPECT_EQ(read_candidate_name("level_2/problem_3/sample_1.py"), (KernelBenchName{2, 3, 1}));
  EXPECT_EQ(read_candidate_name("mine/1_23_fast.py"), (KernelBenchName{1, 23, {}}));
  EXPECT_EQ(read_candidate_name("level1/23_4.py"), (KernelBenchName{1, 23, {}}));
  EXPECT_EQ(read_candidate_name("level_1_23_4.py"), (KernelBenchName{1, 23, {}}));
  EXPECT_EQ(read_candidate_name("solutions/softmax/fast.cu"), KernelBenchName{});
}

TEST(KernelBenchMatches, WhatTheToolsOfKernelBenchWrite) {
  EXPECT_THAT(matched("runs/mine/level_1_problem_23_sample_0_kernel.py"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("runs/mine/level_2_problem_23_sample_0_kernel.py"),
              ElementsAre("level2/23_Conv3d_GroupNorm_Mean"));
  EXPECT_THAT(matched("runs/mine_level2/problem_1_sample_3.py"), ElementsAre("level2/1_Conv2D_ReLU_BiasAdd"));
}

TEST(KernelBenchMatches, NumbersWithoutWords) {
  EXPECT_THAT(matched("runs/mine/1_23_fast.py"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("runs/mine/2_23.cu"), ElementsAre("level2/23_Conv3d_GroupNorm_Mean"));
  EXPECT_THAT(matched("runs/level2/23_fast.py"), ElementsAre("level2/23_Conv3d_GroupNorm_Mean"));
  EXPECT_THAT(matched("runs/mine/level_1_23_fast.py"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("runs/mine/2_fast.py"), ElementsAre("level1/2_Standard_matrix_multiplication_"))
      << "no other level has a problem 2";
}

TEST(KernelBenchMatches, WholeNames) {
  EXPECT_THAT(matched("runs/level1/23_Softmax_v2.py"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("anywhere/23_Softmax.cu"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("anywhere/softmax_rows_0.py"), ElementsAre("own/Softmax_rows"));
  EXPECT_THAT(matched("solutions/softmax/fast.cu"), ElementsAre("level1/23_Softmax"));
  EXPECT_THAT(matched("solutions/23-softmax/1_best.cu"), ElementsAre("level1/23_Softmax"))
      << "a folder called like a problem says more than a number";
}

TEST(KernelBenchMatches, OfNamesThatBeginAlikeTheLongestCounts) {
  const std::vector<std::filesystem::path> alike = {"level2/1_Conv.py", "level2/1_Conv_ReLU.py"};
  EXPECT_THAT(matching_problems("x/1_Conv_ReLU_0.py", alike), ElementsAre(1));
  EXPECT_THAT(matching_problems("x/1_Conv_0.py", alike), ElementsAre(0));
}

TEST(KernelBenchMatches, DoubtIsSaid) {
  EXPECT_THAT(matched("runs/mine/23_fast.py"),
              ElementsAre("level1/23_Softmax", "level2/23_Conv3d_GroupNorm_Mean"));
  EXPECT_THAT(matched("runs/level2/1_23_fast.py"),
              ElementsAre("level1/23_Softmax", "level2/1_Conv2D_ReLU_BiasAdd"))
      << "the folder contradicts the name";
}

TEST(KernelBenchMatches, WhatSaysNothingOrSomethingUnknownMatchesNothing) {
  EXPECT_THAT(matched("runs/mine/level_1_problem_24_sample_0_kernel.py"), IsEmpty());
  EXPECT_THAT(matched("runs/mine/level_4_problem_23_sample_0_kernel.py"), IsEmpty());
  EXPECT_THAT(matched("runs/mine/helper.py"), IsEmpty());
  EXPECT_THAT(matched("runs/mine/problematic_23.py"), IsEmpty());
  EXPECT_THAT(matched("runs/mine/23Softmax.py"), IsEmpty());
  EXPECT_THAT(matched("runs/mine/" + std::string(200, '1') + ".py"), IsEmpty());
  EXPECT_THAT(matched("/"), IsEmpty());
  EXPECT_THAT(matched(""), IsEmpty());
}

}  // namespace kernelbench_names_test
}  // namespace kgrade
