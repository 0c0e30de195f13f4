// Which candidates a sweep grades.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/layout.h"
#include "grade/run.h"
#include "measure/block_run.h"
#include "problem/problem.h"
#include "record/record.h"
#include "sweep/load_problems.h"

namespace kgrade {

// Candidates of one problem in one element type, that have to reach one precision class: what one run of
// `kgrade grade` can grade.
struct SweepGroup {
  Problem problem;
  std::string label() const;  // the slug, and type and class where they are not float32 and fp32
};

struct SweepTask {
  std::size_t group = 0;
  std::filesystem::path candidate;
  std::string sha256;  // of the candidate, as records have it
};

// A candidate that has no verdict, and why.
struct UngradedCandidate {
  std::filesystem::path candidate;
  std::string message;
  std::string slug = {};
  Dtype dtype = Dtype::float32;   // the problem's first, where that is all that is known
  int exit_code = exit_internal;  // that says whose fault it is
};

struct SweepPlan {
  std::vector<SweepGroup> groups;
  std::vector<SweepTask> tasks;            // those of one group stand together
  std::vector<UngradedCandidate> refused;  // that `kgrade grade` would not take, in order of problem and path
  // Folders that were looked through, in order; none where paths are named.
  std::vector<std::filesystem::path> problem_folders = {};
  std::vector<std::filesystem::path> solution_folders = {};
  // What looks like a candidate, in folders that are named: of KernelBench's files it is named after none, or
  // else its folder is called like no problem.
  std::vector<std::filesystem::path> unmatched = {};
};

// One of the plan's tasks that came to nothing.
UngradedCandidate without_verdict(const SweepPlan& plan, std::size_t task, std::string message,
                                  int exit_code = exit_internal);

// Globs as the shell's: * ? [abc]. Without a slash they are matched with slugs, and with the names of files
// in solutions/<slug>/, with or without what follows the dot; with one they name problem files, and
// candidates in folders that are called like their problems, or such folders, or folders that hold them.
// Candidates are files as is_candidate() in
// compile/submission.h has them: *.cu, and others that hold a submission. The folder `solutions` is that of
// the working folder, or else the one beside the folder of the problem's file; of problem files that are
// named, always that.
struct SweepSelection {
  std::string only = "*";  // problems
  std::string solutions = "*";
  // Problems as KernelBench has them (module_files() in sweep/module_candidates.h); then `only` is matched
  // with the names of these files, and candidates are matched to them by what their names say
  // (problem/kernelbench_names.h). `solutions` may then name folders as well, which are looked through to the
  // bottom.
  std::vector<std::filesystem::path> modules = {};
  std::optional<std::string> dtype =
      {};  // of all candidates; unset: what each declares, or else its problem's first
};

// In order of slug, type and class, and path. Paths of candidates below the working folder are relative to
// it. A candidate that cannot be read is refused, and the others are still graded. Errors: a problem file
// that is wrong, a candidate in a folder called like no problem, globs that match nothing. Of modules only
// those are loaded that have candidates; where one cannot be, or a name fits two, the candidates are refused.
Result<SweepPlan> make_plan(const SweepSelection& selection, const Layout& layout,
                            const ProblemLoader& load = load_problem, const LoadingProgress& progress = nullptr);

// Which task a result is of: the same problem, type, class asked for, candidate and effort. Not by device: a
// file that mixes GPUs names the device of each result.
class TaskFinder {
 public:
  // Keeps a reference.
  TaskFinder(const SweepPlan& plan, Effort effort);
  std::optional<std::size_t> find(const Record& record) const;
  // Whether a task is of the candidate with that path, as records have it.
  bool knows(const std::string& path) const { return by_path_.contains(path); }

 private:
  bool fits(const Record& record, std::size_t task) const;

  const SweepPlan& plan_;
  Effort effort_;
  std::unordered_multimap<std::string, std::size_t> by_path_;  // as records have them
};

}  // namespace kgrade
