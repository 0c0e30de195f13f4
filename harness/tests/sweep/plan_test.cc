// Which candidates a sweep grades.
#include "sweep/plan.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/temporary_directory.h"
#include "sweep/module_candidates.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::plan_test {

namespace fs = std::filesystem;
using test::write_content;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

// A folder with problems and solutions of its own, and the working folder while the test runs.
class Plan : public testing::Test {
 protected:
  Plan() {
    fs::current_path(folder_.path());
    folder_.add_problem("alpha");
    folder_.add_problem("beta", "dtypes: [float32, float16]\n");
    folder_.add_problem("gamma");
    candidate("alpha/naive.cu");
    candidate("alpha/fast.cu");
    candidate("beta/naive.cu");
    candidate("beta/half.cu", "// kgrade: dtype float16\n");
    layout_ = folder_.layout();
  }
  ~Plan() override { fs::current_path(before_); }

  void candidate(const std::string& name, const std::string& text = "") const {
    folder_.add_candidate(name, text);
  }

  SweepPlan planned(const SweepSelection& selection) const {
    auto plan = make_plan(selection, layout_);
    EXPECT_TRUE(plan.ok()) << to_string(plan.errors());
    return plan ? std::move(*plan) : SweepPlan{};
  }

  std::vector<std::string> tasks(const SweepSelection& selection) const {
    std::vector<std::string> tasks;
    const SweepPlan plan = planned(selection);
    for (const SweepTask& task : plan.tasks)
      tasks.push_back(plan.groups[task.group].label() + ": " + task.candidate.string());
    return tasks;
  }

  std::string refusal(const SweepSelection& selection) const {
    const auto plan = make_plan(selection, layout_);
    return plan ? "none" : to_string(plan.errors());
  }

  // "solutions/alpha/pipe.cu: is not a regular file"
  std::vector<std::string> refused(const SweepSelection& selection) const {
    std::vector<std::string> lines;
    for (const UngradedCandidate& one : planned(selection).refused)
      lines.push_back(one.candidate.string() + ": " + one.message);
    return lines;
  }

  fs::path before_ = fs::current_path();
  test::ScratchCheckout folder_;
  Layout layout_;
};

TEST_F(Plan, IsAllOfAllByDefault) {
  EXPECT_THAT(tasks({}),
              ElementsAre("alpha: solutions/alpha/fast.cu", "alpha: solutions/alpha/naive.cu",
                          "beta (float16): solutions/beta/half.cu", "beta: solutions/beta/naive.cu"));
}

TEST_F(Plan, GroupsByProblemAndType) {
  const SweepPlan plan = planned({});
  ASSERT_EQ(plan.groups.size(), 3u);
  EXPECT_EQ(plan.groups[1].problem.dtype, Dtype::float16);
  EXPECT_EQ(plan.groups[2].problem.dtype, Dtype::float32);
  EXPECT_EQ(plan.tasks[0].group, 0u);
  EXPECT_EQ(plan.tasks[1].group, 0u);
}

TEST_F(Plan, GroupsByPrecisionClass) {
  candidate("beta/half_tf32.cu", "// kgrade: precision tf32\n// kgrade: dtype float16\n");
  candidate("beta/loose.cu", "// kgrade: precision tf32\n");
  candidate("beta/strict.cu", "// kgrade: precision fp32\n");
  EXPECT_THAT(
      tasks({"beta", "*"}),
      ElementsAre("beta (float16): solutions/beta/half.cu",
                  "beta (float16), tf32: solutions/beta/half_tf32.cu", "beta, tf32: solutions/beta/loose.cu",
                  "beta: solutions/beta/naive.cu", "beta: solutions/beta/strict.cu"));
  const SweepPlan plan = planned({"beta", "loose"});
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(plan.groups[0].problem.precision, "tf32");
}

TEST_F(Plan, HasTheHashesThatRecordsHave) {
  const SweepPlan plan = planned({});
  for (const SweepTask& task : plan.tasks)
    EXPECT_EQ(task.sha256, read_candidates({task.candidate}, layout_)->front().sha256);
  EXPECT_NE(plan.tasks[0].sha256, plan.tasks[1].sha256);
}

TEST_F(Plan, TakesSlugsAndNamesByGlobs) {
  EXPECT_THAT(tasks({"a*", "*"}).size(), 2u);
  EXPECT_THAT(tasks({"[ab]?*a", "naive"}),
              ElementsAre("alpha: solutions/alpha/naive.cu", "beta: solutions/beta/naive.cu"));
  EXPECT_THAT(tasks({"*", "h*.cu"}), ElementsAre("beta (float16): solutions/beta/half.cu"));
}

TEST_F(Plan, TakesPathsByGlobs) {
  EXPECT_THAT(tasks({"*", "solutions/*/naive.cu"}),
              ElementsAre("alpha: solutions/alpha/naive.cu", "beta: solutions/beta/naive.cu"));
  EXPECT_THAT(tasks({"problems/[a]*.md", "*"}).size(), 2u);
  write_content("elsewhere/alpha/mine.cu", "// mine\n");
  EXPECT_THAT(tasks({"*", "elsewhere/*/*"}), ElementsAre("alpha: elsewhere/alpha/mine.cu"));
}

TEST_F(Plan, TakesAFolderOfFoldersThatAreCalledLikeTheirProblems) {
  fs::rename(folder_.path() / "solutions", folder_.path() / "mine");
  write_content(folder_.path() / "mine/alpha/mine.py", "def solution(x, y):\n    pass\n");
  write_content(folder_.path() / "mine/delta/naive.cu", "");
  write_content(folder_.path() / "mine/families/gamma.cu", "");
  fs::create_directories("mine/gamma");
  fs::create_symlink("../families/gamma.cu", "mine/gamma/naive.cu");
  const auto all = ElementsAre("alpha: mine/alpha/fast.cu", "alpha: mine/alpha/mine.py",
                               "alpha: mine/alpha/naive.cu", "beta (float16): mine/beta/half.cu",
                               "beta: mine/beta/naive.cu", "gamma: mine/gamma/naive.cu");
  for (const char* folder : {"mine", "mine/", "./mine"}) EXPECT_THAT(tasks({"*", folder}), all) << folder;
  EXPECT_THAT(planned({"*", "mine"}).unmatched, ElementsAre("mine/delta/naive.cu"));
  EXPECT_THAT(planned({"*", "mine"}).solution_folders, ElementsAre("mine"));
  EXPECT_THAT(
      tasks({"*", "mine/alpha"}),
      ElementsAre("alpha: mine/alpha/fast.cu", "alpha: mine/alpha/mine.py", "alpha: mine/alpha/naive.cu"));
  EXPECT_THAT(tasks({"alpha", "mine/*"}), SizeIs(3));
  EXPECT_THAT(refusal({"gamma", "mine/alpha"}), HasSubstr("--solutions: 'mine/alpha' matches no candidate"));
}

TEST_F(Plan, WritesPathsInOneWay) {
  const std::string naive = "alpha: solutions/alpha/naive.cu";
  EXPECT_THAT(tasks({"alpha", "naive"}), ElementsAre(naive));
  EXPECT_THAT(tasks({"alpha", "./solutions//alpha/naive.cu"}), ElementsAre(naive));
  EXPECT_THAT(tasks({"alpha", "problems/../solutions/alpha/naive.cu"}), ElementsAre(naive));
  EXPECT_THAT(tasks({"alpha", (folder_.path() / "solutions/alpha/naive.cu").string()}), ElementsAre(naive));
  const TemporaryDirectory elsewhere;
  write_content(elsewhere.path() / "alpha/far.cu", "// far\n");
  EXPECT_THAT(tasks({"alpha", elsewhere.path().string() + "/*/far.cu"}),
              ElementsAre("alpha: " + (elsewhere.path() / "alpha/far.cu").string()));
}

TEST_F(Plan, LooksForSolutionsBesideTheFolderOfTheProblemFile) {
  const TemporaryDirectory elsewhere;
  fs::copy("problems", elsewhere.path() / "problems");
  write_content(elsewhere.path() / "solutions/alpha/other.cu", "// other\n");
  EXPECT_THAT(tasks({elsewhere.path().string() + "/problems/*.md", "*"}),
              ElementsAre("alpha: " + (elsewhere.path() / "solutions/alpha/other.cu").string()));
}

// Own and shipped problems in one sweep, with the candidates of the working folder.
TEST_F(Plan, SolutionsOfTheWorkingFolderComeFirst) {
  const test::ScratchCheckout shipped;
  shipped.add_problem("alpha", "dtypes: [float16]\n");
  shipped.add_problem("delta");
  shipped.add_candidate("alpha/shipped.cu");
  shipped.add_candidate("delta/shipped.cu");
  candidate("delta/mine.cu");
  layout_.problems.push_back(shipped.path() / "problems");
  const SweepPlan plan = planned({"[ad]*", "*"});
  EXPECT_THAT(tasks({"[ad]*", "*"}),
              ElementsAre("alpha: solutions/alpha/fast.cu", "alpha: solutions/alpha/naive.cu",
                          "delta: solutions/delta/mine.cu"));
  EXPECT_EQ(plan.problem_folders, layout_.problems);
  EXPECT_THAT(plan.solution_folders, ElementsAre(layout_.solutions));
  EXPECT_THAT(refusal({"delta", "slow*"}),
              HasSubstr("'slow*' matches no candidate in " + layout_.solutions.string()));
}

TEST_F(Plan, OnlyTakesSources) {
  candidate("alpha/helper.cuh");
  candidate("alpha/notes.txt");
  candidate("alpha/.fast.cu.swp.cu");
  fs::create_symlink("user@host.1234", "solutions/alpha/.#fast.cu");
  fs::create_directory("solutions/alpha/folder.cu");
  EXPECT_EQ(tasks({"alpha", "*"}).size(), 2u);
  EXPECT_EQ(tasks({"alpha", "solutions/*/*"}).size(), 2u);
}

TEST_F(Plan, FollowsLinksOfFamilies) {
  candidate("families/shared.cu");
  fs::create_directories("solutions/gamma");
  fs::create_symlink("../families/shared.cu", "solutions/gamma/naive.cu");
  fs::create_symlink("../families/shared.cu", "solutions/alpha/shared.cu");
  EXPECT_THAT(tasks({"gamma", "*"}), ElementsAre("gamma: solutions/gamma/naive.cu"));
  EXPECT_THAT(tasks({"*", "solutions/gamma/*.cu"}), ElementsAre("gamma: solutions/gamma/naive.cu"));
  const SweepPlan plan = planned({"*", "*"});
  EXPECT_EQ(plan.tasks[2].sha256, plan.tasks.back().sha256);
}

TEST_F(Plan, SaysWhatMatchesNothing) {
  EXPECT_THAT(refusal({"delta*", "*"}),
              HasSubstr("--only: 'delta*' matches no problem in " + (folder_.path() / "problems").string()));
  EXPECT_THAT(refusal({"problems/delta*.md", "*"}), HasSubstr("matches no problem"));
  EXPECT_THAT(refusal({"*", "slow*"}), HasSubstr("--solutions: 'slow*' matches no candidate"));
  EXPECT_THAT(refusal({"*", "solutions/*/slow.cu"}), HasSubstr("matches no candidate"));
  EXPECT_THAT(refusal({"gamma", "*"}), HasSubstr("matches no candidate"));
}

TEST_F(Plan, SaysWhichFolderIsCalledLikeNoProblem) {
  candidate("delta/naive.cu");
  EXPECT_THAT(refusal({"*", "solutions/*/naive.cu"}),
              AllOf(HasSubstr("there is no problem 'delta'"), HasSubstr("solutions/delta/naive.cu")));
  EXPECT_EQ(tasks({"*", "naive"}).size(), 2u);
}

TEST_F(Plan, CandidatesOfProblemsThatWereNotChosenAreNoMistake) {
  EXPECT_THAT(tasks({"alpha", "solutions/*/naive.cu"}), ElementsAre("alpha: solutions/alpha/naive.cu"));
  EXPECT_THAT(tasks({"problems/alpha.md", "solutions/*/naive.cu"}),
              ElementsAre("alpha: solutions/alpha/naive.cu"));
}

TEST_F(Plan, TwoFilesOfOneSlugAreAMistake) {
  fs::create_directory("more");
  fs::copy_file("problems/alpha.md", "more/alpha.md");
  EXPECT_THAT(refusal({"*/alpha.md", "*"}), HasSubstr("alpha"));
}

TEST_F(Plan, SaysWhatIsWrongWithAProblem) {
  write_content("problems/alpha.md", "no problem");
  EXPECT_THAT(refusal({}), HasSubstr("alpha.md"));
  EXPECT_THAT(tasks({"beta", "naive"}).size(), 1u);
}

// One bad file among thousands does not stop the others.
TEST_F(Plan, RefusesFilesThatCannotBeReadAndTakesTheOthers) {
  candidate("alpha/two\nlines.cu");
  fs::create_symlink("nowhere.cu", "solutions/alpha/dangling.cu");
  ASSERT_EQ(::mkfifo("solutions/alpha/pipe.cu", 0600), 0);
  EXPECT_THAT(refused({}),
              ElementsAre(StartsWith("solutions/alpha/dangling.cu: "),
                          StartsWith("solutions/alpha/pipe.cu: candidate: is not a regular file"),
                          AllOf(StartsWith("solutions/alpha/two\nlines.cu: "), HasSubstr("line breaks"))));
  EXPECT_THAT(tasks({}),
              ElementsAre("alpha: solutions/alpha/fast.cu", "alpha: solutions/alpha/naive.cu",
                          "beta (float16): solutions/beta/half.cu", "beta: solutions/beta/naive.cu"));
  EXPECT_THAT(refused({"*", "solutions/*/*.cu"}), SizeIs(3));
  EXPECT_THAT(refused({"alpha", "pipe"}), SizeIs(1)) << "that nothing is left is no mistake of the globs";
}

// Their verdict is what is wrong with them.
TEST_F(Plan, TakesCandidatesThatAreWrongInThemselves) {
  candidate("alpha/half.cu", "// kgrade: dtype float16\n");
  candidate("alpha/float12.cu", "\n// kgrade: dtype float12\n");
  fs::resize_file("solutions/alpha/fast.cu", (16 << 20) + 1);
  EXPECT_THAT(refused({}), SizeIs(0));
  EXPECT_THAT(tasks({"alpha", "*"}),
              ElementsAre("alpha: solutions/alpha/fast.cu", "alpha: solutions/alpha/float12.cu",
                          "alpha: solutions/alpha/half.cu", "alpha: solutions/alpha/naive.cu"));
}

TEST_F(Plan, RefusesCandidatesThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  fs::permissions("solutions/alpha/fast.cu", fs::perms::none);
  EXPECT_THAT(refused({}), ElementsAre(StartsWith("solutions/alpha/fast.cu: ")));
}

// Sweeps over problems as KernelBench has them.

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

}  // namespace kgrade::plan_test
