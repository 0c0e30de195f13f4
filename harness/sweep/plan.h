// Plans which candidates a sweep grades.
//
// Problem files of a sweep are loaded in parallel, because a file in KernelBench's form takes a Python
// interpreter some seconds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "grade/run.h"
#include "measure/block_run.h"
#include "problem/problem.h"
#include "record/record.h"

namespace kgrade {

// Loads a problem from its file. If there are several files, several threads call this at once.
using ProblemLoader = std::function<Result<Problem>(const std::filesystem::path&)>;

// Called before the first file is loaded and after each file, by one thread at a time.
using LoadingProgress = std::function<void(std::size_t done, std::size_t all)>;

// Loads each file once, as many at a time as there are cores.
std::map<std::filesystem::path, Result<Problem>> load_problems(
    const std::vector<std::filesystem::path>& files, const ProblemLoader& load,
    const LoadingProgress& progress = nullptr);

// What the candidates of one run of `kgrade grade` share: a problem, an element type and a precision class.
struct SweepGroup {
  Problem problem;
  std::string label() const;  // the slug; with type and class unless they are float32 and fp32
};

struct SweepTask {
  std::size_t group = 0;
  std::filesystem::path candidate;
  std::string sha256;  // of the candidate, as in records
  bool is_python = false;
};

// A candidate that has no verdict, and why.
struct UngradedCandidate {
  std::filesystem::path candidate;
  std::string message;
  std::string slug = {};
  Dtype dtype = Dtype::float32;   // the problem's first type if it is unknown
  int exit_code = exit_internal;  // says whose fault it is
};

struct SweepPlan {
  std::vector<SweepGroup> groups;
  std::vector<SweepTask> tasks;            // tasks of one group are adjacent
  std::vector<UngradedCandidate> refused;  // those that `kgrade grade` would refuse; by problem and path
  // The folders that were searched, in order. Empty if paths were named.
  std::vector<std::filesystem::path> problem_folders = {};
  std::vector<std::filesystem::path> solution_folders = {};
  // Files in named folders that look like candidates and match no problem. A candidate for KernelBench's
  // files must have a name that matches one of them. Any other candidate must be in a folder with a problem's
  // name.
  std::vector<std::filesystem::path> unmatched = {};
};

// A task of the plan that got no verdict.
UngradedCandidate without_verdict(const SweepPlan& plan, std::size_t task, std::string message,
                                  int exit_code = exit_internal);

// Selects problems and candidates to grade. `only` and `solutions` are globs like a shell's: * ? [abc].
//
// A glob without a slash is matched with slugs, and with names of files in solutions/<slug>/, with or without
// their extension. A glob with a slash names problem files. For candidates, it names files in folders that
// are named after problems, or such folders, or parents of such folders.
//
// Candidates are the files that is_candidate() in compile/submission.h accepts: *.cu, and other files that
// hold a submission. The folder `solutions` of the working folder is used, or if there is none, the one
// beside the folder of the problem's file. For problem files that `only` names, the latter is always used.
struct SweepSelection {
  std::string only = "*";  // problems
  std::string solutions = "*";
  // KernelBench's problem files (module_files() in sweep/module_candidates.h). If there are any, `only` is
  // matched with the names of these files, and candidates are matched by their names
  // (problem/kernelbench_names.h). `solutions` may also name folders, which are searched recursively.
  std::vector<std::filesystem::path> modules = {};
  std::optional<std::string> dtype =
      {};  // for all candidates; unset: what each declares, or else its problem's first type
};

// Groups are in order of slug, type and class, and candidates in order of path. Paths of candidates below the
// working folder are relative to it. A candidate that cannot be read is refused, and all other candidates are
// still graded. Errors: a wrong problem file, a candidate in a folder that is not named after a problem, or a
// glob that matches nothing. Only modules with candidates are loaded. Candidates are refused if their module
// cannot be loaded, or if their name fits two modules.
Result<SweepPlan> make_plan(const SweepSelection& selection, const Layout& layout,
                            const ProblemLoader& load = load_problem,
                            const LoadingProgress& progress = nullptr);

// Finds the task of a result: problem, type, required class, candidate and effort must be equal. The device
// does not count, because a file may mix GPUs and names the device of each result.
class TaskFinder {
 public:
  // Keeps a reference to the plan.
  TaskFinder(const SweepPlan& plan, Effort effort);
  std::optional<std::size_t> find(const Record& record) const;
  // True if a task has the candidate with that path, in the form of records.
  bool knows(const std::string& path) const { return by_path_.contains(path); }

 private:
  const SweepPlan& plan_;
  Effort effort_;
  std::unordered_multimap<std::string, std::size_t> by_path_;  // in the form of records
};

}  // namespace kgrade
