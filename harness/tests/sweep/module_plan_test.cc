// Sweeps over problems as KernelBench has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/temporary_directory.h"
#include "sweep/module_candidates.h"
#include "sweep/plan.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::module_plan_test {

namespace fs = std::filesystem;
using test::write_content;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* submission = "class ModelNew:\n    pass\n";

// KernelBench and a run of it, in the working folder while the test runs.
class ModulePlan : public testing::Test {
 protected:
  ModulePlan() {
    fs::current_path(folder_.path());
    folder_.add_problem("some");
    for (const char* file : {"level1/1_Square.py", "level1/10_Gemm.py", "level1/2_Standard.py",
                             "level2/1_Conv_ReLU.py", "level2/__init__.py", "changelog/v1.py"})
      write_content(fs::path("KernelBench") / file, "class Model: pass\n");
    candidate("level_1_problem_1_sample_0");
    candidate("level_1_problem_1_sample_1");
    candidate("level_2_problem_1_sample_0");
    write_content("runs/mine/generation_config.yaml", "level: 1\n");
    write_content("runs/mine/level_1_problem_1_sample_0_prompt.txt",
                  std::string("Answer like this:\n```python\n") + submission + "```\n");
  }
  ~ModulePlan() override { fs::current_path(before_); }

  static void candidate(const std::string& name, const std::string& text = submission) {
    write_content("runs/mine/" + name + "_kernel.py", text);
  }

  // The problem of a file, as far as a plan needs it.
  Result<Problem> load(const fs::path& file) {
    {
      const std::scoped_lock lock(mutex_);
      loaded_.push_back(file.string());
    }
    if (file.filename() == "2_Standard.py")
      return Error{"get_inputs() fails", "mend it", {file.string(), 3, 0}, blame_};
    auto problem = load_problem("problems/some.md");
    problem->slug = file.stem().string();
    problem->path = file;
    return problem;
  }

  Result<SweepPlan> plan(SweepSelection selection) {
    if (selection.modules.empty()) selection.modules = module_files("KernelBench/level*/*.py");
    Layout layout = folder_.layout();
    layout.solutions.clear();
    return make_plan(selection, layout, [this](const fs::path& file) { return load(file); });
  }

  std::vector<std::string> tasks(const SweepSelection& selection) {
    const auto made = plan(selection);
    EXPECT_TRUE(made.ok()) << to_string(made.errors());
    std::vector<std::string> lines;
    for (const SweepTask& task : made ? made->tasks : std::vector<SweepTask>{})
      lines.push_back(made->groups[task.group].label() + ": " + task.candidate.string());
    return lines;
  }

  fs::path before_ = fs::current_path();
  test::ScratchCheckout folder_;
  Blame blame_ = Blame::user;  // for 2_Standard.py
  std::mutex mutex_;
  std::vector<std::string> loaded_;
};

std::vector<std::string> names(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.parent_path().filename() / file.filename());
  return names;
}

TEST(LoadProblems, SideBySideAndEachOnce) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t begun = 0;
  const auto load = [&](const fs::path& file) -> Result<Problem> {
    std::unique_lock lock(mutex);
    begun += 1;
    changed.notify_all();
    const bool is_beside = changed.wait_for(lock, std::chrono::seconds(20), [&] { return begun >= 2; });
    EXPECT_TRUE(is_beside) << "one waits for the other";
    if (file == "wrong.py") return Error{"wrong", "", {}};
    Problem problem;
    problem.slug = file.stem().string();
    return problem;
  };
  std::vector<std::size_t> told;
  const auto loaded =
      load_problems({"b.py", "wrong.py", "a.py", "b.py"}, load, [&](std::size_t done, std::size_t all) {
        told.insert(told.end(), {done, all});
      });
  EXPECT_EQ(begun, 3);
  EXPECT_THAT(told, ElementsAre(0, 3, 1, 3, 2, 3, 3, 3));
  ASSERT_EQ(loaded.size(), 3);
  EXPECT_EQ(loaded.at("a.py")->slug, "a");
  EXPECT_EQ(loaded.at("b.py")->slug, "b");
  EXPECT_FALSE(loaded.at("wrong.py").ok());
}

TEST_F(ModulePlan, ProblemsArePatternsOrFolders) {
  const auto all =
      ElementsAre("level1/1_Square.py", "level1/2_Standard.py", "level1/10_Gemm.py", "level2/1_Conv_ReLU.py");
  EXPECT_THAT(names(module_files("KernelBench")), all);
  EXPECT_THAT(names(module_files("KernelBench/level*")), all);
  EXPECT_THAT(names(module_files("KernelBench/level2/1*.py")), ElementsAre("level2/1_Conv_ReLU.py"));
  EXPECT_THAT(module_files("problems"), IsEmpty()) << "a folder of problem files";
  write_content("problems/tool.py", "");
  EXPECT_THAT(module_files("problems"), IsEmpty()) << "a folder of problem files and something else";
  EXPECT_THAT(module_files("nowhere/*.py"), IsEmpty());
  EXPECT_THAT(module_files(""), IsEmpty());
}

TEST_F(ModulePlan, SeveralSamplesAreCandidatesOfOneProblem) {
  const auto expected = ElementsAre("1_Square: runs/mine/level_1_problem_1_sample_0_kernel.py",
                                    "1_Square: runs/mine/level_1_problem_1_sample_1_kernel.py",
                                    "1_Conv_ReLU: runs/mine/level_2_problem_1_sample_0_kernel.py");
  for (const char* where : {"runs/*/", "runs", "runs/mine/*", "./runs/mine/*_kernel.py"})
    EXPECT_THAT(tasks({"*", where}), expected) << where;
}

TEST_F(ModulePlan, OnlyProblemsWithCandidatesAreLoaded) {
  tasks({"*", "runs/*/"});
  EXPECT_THAT(loaded_,
              UnorderedElementsAre("KernelBench/level1/1_Square.py", "KernelBench/level2/1_Conv_ReLU.py"));
}

TEST_F(ModulePlan, OnlyNamesProblems) {
  EXPECT_THAT(tasks({"1_C*", "runs/*/"}),
              ElementsAre("1_Conv_ReLU: runs/mine/level_2_problem_1_sample_0_kernel.py"));
  EXPECT_THAT(to_string(plan({"9*", "runs/*/"}).errors()), HasSubstr("--only: '9*' matches no problem"));
}

// An answer that is no code has failed, and counts.
TEST_F(ModulePlan, WhatHoldsNoSubmissionIsStillACandidate) {
  candidate("level_1_problem_10_sample_0", "I cannot do that.\n");
  EXPECT_EQ(tasks({"10*", "runs/*/"}).size(), 1u);
}

TEST_F(ModulePlan, SaysWhatMatchesNoProblem) {
  candidate("level_1_problem_77_sample_0");
  write_content("runs/mine/helper.py", "import torch\n");
  write_content("runs/.cache/level_1_problem_1_sample_0_kernel.py", submission);
  const auto made = plan({"*", "runs/"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->tasks.size(), 3u);
  EXPECT_THAT(made->unmatched,
              ElementsAre("runs/mine/helper.py", "runs/mine/level_1_problem_77_sample_0_kernel.py"));
  EXPECT_THAT(made->refused, IsEmpty());
}

TEST_F(ModulePlan, TwoProblemsThatMatchAreAnErrorOfTheCandidateAlone) {
  write_content("runs/mine/1_fast.py", submission);
  const auto made = plan({"*", "runs/*/"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->tasks.size(), 3u);
  ASSERT_EQ(made->refused.size(), 1u);
  EXPECT_EQ(made->refused[0].candidate, "runs/mine/1_fast.py");
  EXPECT_EQ(made->refused[0].exit_code, exit_usage);
  EXPECT_THAT(made->refused[0].message, AllOf(HasSubstr("KernelBench/level1/1_Square.py"),
                                              HasSubstr("KernelBench/level2/1_Conv_ReLU.py")));
}

TEST_F(ModulePlan, AProblemThatCannotBeReadRefusesItsCandidatesAlone) {
  candidate("level_1_problem_2_sample_0");
  const auto made = plan({"*", "runs/*/"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->tasks.size(), 3u);
  ASSERT_EQ(made->refused.size(), 1u);
  EXPECT_EQ(made->refused[0].message,
            "its problem KernelBench/level1/2_Standard.py: get_inputs() fails; mend it");
  EXPECT_EQ(made->refused[0].exit_code, exit_usage);
}

TEST_F(ModulePlan, AProblemThatTheMachineCannotReadIsNoFaultOfItsAuthor) {
  candidate("level_1_problem_2_sample_0");
  blame_ = Blame::machine;
  const auto made = plan({"*", "runs/*/"});
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->refused.size(), 1u);
  EXPECT_EQ(made->refused[0].exit_code, exit_machine);
}

TEST_F(ModulePlan, FoldersCalledLikeProblemsHoldCandidates) {
  write_content("solutions/conv-relu/fast.cu", "// fast\n");
  EXPECT_THAT(tasks({"*", "solutions"}), ElementsAre("1_Conv_ReLU: solutions/conv-relu/fast.cu"));
}

TEST_F(ModulePlan, SaysThatNothingIsThere) {
  EXPECT_THAT(to_string(plan({"*", "runs/none/"}).errors()),
              HasSubstr("--solutions: 'runs/none/' matches no candidate"));
  EXPECT_THAT(to_string(plan({"*", "runs/none/"}).errors()), HasSubstr("check the path"));
  EXPECT_THAT(to_string(plan({"*", "*"}).errors()),
              AllOf(HasSubstr("--solutions: '*' matches no candidate"), HasSubstr("quote the pattern")));
  write_content("others/helper.py", "import torch\n");
  EXPECT_THAT(to_string(plan({"*", "others/"}).errors()),
              AllOf(HasSubstr("none of 1 file that 'others/' names"), HasSubstr("others/helper.py")));
}

TEST_F(ModulePlan, ProblemsAreNoCandidates) {
  EXPECT_THAT(to_string(plan({"*", "KernelBench/level1/"}).errors()), HasSubstr("matches no candidate"));
}

}  // namespace kgrade::module_plan_test
