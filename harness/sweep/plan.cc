#include "sweep/plan.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "base/usable_cores.h"
#include "compile/declarations.h"
#include "compile/submission.h"
#include "problem/catalogue.h"
#include "record/record.h"
#include "sweep/module_candidates.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

bool matches(const std::string& glob, const std::string& text) {
  return ::fnmatch(glob.c_str(), text.c_str(), FNM_PERIOD) == 0;
}

bool names_paths(const std::string& glob) { return glob.find('/') != glob.npos; }

// Whether `solutions` names files. A folder counts even if its name has no slash.
bool names_files(const std::string& solutions) {
  std::error_code ignored;
  return names_paths(solutions) || fs::is_directory(solutions, ignored);
}

std::string own_name(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// The path as a user in the working folder would write it.
fs::path as_written(const fs::path& path) {
  std::error_code failure;
  const fs::path here = fs::current_path(failure);
  const fs::path whole = fs::absolute(path, failure).lexically_normal();
  const fs::path relative = whole.lexically_proximate(here);
  return failure || relative.empty() || *relative.begin() == ".." ? whole : relative;
}

class Planner {
 public:
  Planner(const SweepSelection& selection, const Layout& layout, const ProblemLoader& load,
          const LoadingProgress& progress)
      : selection_(selection), layout_(layout), load_(load), progress_(progress) {}

  Result<SweepPlan> plan() {
    if (!selection_.modules.empty()) return plan_modules();
    if (auto errors = read_problems(); !errors.empty()) return errors;
    if (problems_.empty()) return nothing("--only", selection_.only, "problem", plan_.problem_folders);
    if (names_files(selection_.solutions)) {
      if (auto errors = take_paths(); !errors.empty()) return errors;
    } else {
      for (const auto& [slug, problem] : problems_) take_folder(slug);
    }
    for (const auto& [slug, problem] : problems_) {
      add(problem, candidates_[slug]);
    }
    if (plan_.tasks.empty() && plan_.refused.empty())
      return nothing("--solutions", selection_.solutions, "candidate", plan_.solution_folders);
    return std::move(plan_);
  }

 private:
  static Error nothing(const char* option, const std::string& glob, const char* what,
                       const Folders& searched) {
    const std::string where = searched.empty() ? "" : " in " + folder_names(searched);
    const char* const remedy =
        glob.find_first_of("*?[") != std::string::npos
            ? "quote the pattern, so that the shell leaves it alone; `kgrade list` shows the problems"
        : names_files(glob)
            ? "check the path, and that files or their folders are named after problems, as in "
              "level_1_problem_23_sample_0_kernel.py"
            : "`kgrade list` shows the problems";
    return {fmt::format("{}: '{}' matches no {}{}", option, glob, what, where), remedy, {}};
  }

  Errors read_problems() {
    const bool paths = names_paths(selection_.only);
    const auto files = paths ? Result<std::vector<fs::path>>(paths_matching(selection_.only))
                             : problem_files(layout_.problems);
    if (!files) return files.errors();
    if (!paths) plan_.problem_folders = layout_.problems;
    Errors errors;
    for (const fs::path& file : *files) {
      add_slugs_beside(file);
      if (!paths && !matches(selection_.only, file.stem().string())) continue;
      auto problem = load_(file);
      if (!problem) {
        errors.insert(errors.end(), problem.errors().begin(), problem.errors().end());
      } else if (const auto [other, fresh] = problems_.emplace(problem->slug, *problem); !fresh) {
        errors.push_back({fmt::format("'{}' has the same slug", other->second.path.string()),
                          "name one of the two files",
                          {file.string(), 0, 0}});
      }
    }
    return errors;
  }

  // Candidates of problems that exist but were not asked for are not an error.
  void add_slugs_beside(const fs::path& file) {
    if (!folders_.insert(file.parent_path()).second) return;
    const auto files = problem_files(file.has_parent_path() ? file.parent_path() : ".");
    if (!files) return;
    for (const fs::path& other : *files) slugs_.insert(other.stem().string());
  }

  void take_folder(const std::string& slug) {
    // The solutions in the working folder, or else those beside the folder of the problem. If --only names
    // problem files, always the solutions beside these files.
    std::error_code failure, ignored;
    const fs::path file = fs::absolute(problems_.at(slug).path, ignored).lexically_normal();
    const bool is_here = !layout_.solutions.empty() && !names_paths(selection_.only);
    const fs::path solutions = is_here ? layout_.solutions : file.parent_path().parent_path() / "solutions";
    Folders& searched = plan_.solution_folders;
    if (std::find(searched.begin(), searched.end(), solutions) == searched.end())
      searched.push_back(solutions);
    for (fs::directory_iterator at(solutions / slug, failure), end; !failure && at != end;
         at.increment(failure)) {
      const fs::path& path = at->path();
      const bool wanted = matches(selection_.solutions, path.stem().string()) ||
                          matches(selection_.solutions, path.filename().string());
      if (wanted && is_candidate(path)) candidates_[slug].push_back(as_written(path));
    }
  }

  // Takes the candidates in a folder. The folder's name may or may not be the slug of a problem.
  void take_files(const fs::path& folder, const std::string& slug) {
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
      if (!is_candidate(at->path())) continue;
      const fs::path file = as_written(at->path());
      if (!slugs_.contains(slug)) {
        plan_.unmatched.push_back(file);
        continue;
      }
      linked_.insert(resolved(file));
      if (problems_.contains(slug)) candidates_[slug].push_back(file);
    }
  }

  // Takes a folder that is named after a problem, or a folder of such folders. Files in other folders are
  // reported, unless they are only the targets of links to them.
  void take_folders_of(const fs::path& folder) {
    if (slugs_.contains(own_name(folder))) return take_files(folder, own_name(folder));
    bool is_of_problems = false;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
      std::error_code ignored;
      if (!at->is_directory(ignored)) continue;
      is_of_problems = is_of_problems || slugs_.contains(own_name(at->path()));
      take_files(at->path(), own_name(at->path()));
    }
    if (is_of_problems) plan_.solution_folders.push_back(as_written(folder));
    std::erase_if(plan_.unmatched, [this](const fs::path& file) { return linked_.contains(resolved(file)); });
    std::sort(plan_.unmatched.begin(), plan_.unmatched.end());
  }

  Errors take_paths() {
    Errors errors;
    for (const fs::path& path : paths_matching(selection_.solutions)) {
      std::error_code ignored;
      if (fs::is_directory(path, ignored)) take_folders_of(path);
      if (!is_candidate(path)) continue;
      const std::string slug = own_name(fs::absolute(path).lexically_normal().parent_path());
      if (problems_.contains(slug)) {
        candidates_[slug].push_back(as_written(path));
      } else if (!slugs_.contains(slug)) {
        errors.push_back({fmt::format("there is no problem '{}'", slug),
                          "put candidates into folders that are called like their problems",
                          {path.string(), 0, 0}});
      }
    }
    return errors;
  }

  Result<SweepPlan> plan_modules() {
    std::vector<fs::path> problems = selection_.modules;
    std::erase_if(problems, [this](const fs::path& file) {
      return !matches(selection_.only, file.stem().string()) &&
             !matches(selection_.only, file.filename().string());
    });
    if (problems.empty()) return nothing("--only", selection_.only, "problem", {});
    std::vector<fs::path> files = module_candidates(selection_.solutions, layout_.solutions, problems);
    std::transform(files.begin(), files.end(), files.begin(), as_written);
    ModuleMatches found = match_modules(files, problems);
    std::vector<fs::path> answered;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (!found.by_problem[i].empty()) answered.push_back(problems[i]);
    }
    const auto loaded = load_problems(answered, load_, progress_);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      std::vector<fs::path>& candidates = found.by_problem[i];
      if (candidates.empty()) continue;
      const Result<Problem>& problem = loaded.at(problems[i]);
      if (problem) {
        add(*problem, candidates);
        continue;
      }
      Problem unread;
      unread.slug = problems[i].stem().string();
      const Error& why = problem.error();
      const std::string message = fmt::format("its problem {}: {}", problems[i].string(), why.message);
      for (const fs::path& candidate : candidates)
        refuse(unread, candidate, {message, why.remedy, {}, why.blame});
    }
    for (UngradedCandidate& one : found.ambiguous) plan_.refused.push_back(std::move(one));
    plan_.unmatched = std::move(found.unmatched);
    if (!plan_.tasks.empty() || !plan_.refused.empty()) return std::move(plan_);
    if (files.empty()) return nothing("--solutions", selection_.solutions, "candidate", {});
    return Error{fmt::format("--solutions: none of {} that '{}' names is named after one of the problems",
                             counted(files.size(), "file"), selection_.solutions),
                 "name them as KernelBench does: level_1_problem_23_sample_0_kernel.py",
                 {plan_.unmatched.front().string(), 0, 0}};
  }

  void add(const Problem& problem, std::vector<fs::path>& candidates) {
    std::sort(candidates.begin(), candidates.end());
    std::vector<SweepGroup> groups;
    std::vector<std::vector<SweepTask>> tasks;  // by group
    for (const fs::path& candidate : candidates) {
      auto sources = read_candidates({candidate}, layout_);
      auto bound =
          sources ? group_candidates(problem, std::move(*sources), selection_.dtype) : sources.errors();
      if (!bound) {
        refuse(problem, candidate, bound.error());
        continue;
      }
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const SweepGroup& group) {
        return asks_for_the_same(group.problem, bound->front().problem);
      });
      const auto group = static_cast<std::size_t>(same - groups.begin());
      if (same == groups.end()) {
        groups.push_back({bound->front().problem});
        tasks.emplace_back();
      }
      const CandidateSource& source = bound->front().candidates.front();
      tasks[group].push_back({plan_.groups.size() + group, candidate, source.sha256, source.is_python()});
    }
    std::move(groups.begin(), groups.end(), std::back_inserter(plan_.groups));
    for (auto& of_group : tasks) std::move(of_group.begin(), of_group.end(), std::back_inserter(plan_.tasks));
  }

  void refuse(const Problem& problem, const fs::path& candidate, const Error& error) {
    std::string message = error.message;
    if (error.location.line > 0) message = fmt::format("line {}: {}", error.location.line, message);
    if (!error.remedy.empty()) message += "; " + error.remedy;
    plan_.refused.push_back(
        {candidate, std::move(message), problem.slug, problem.dtype, exit_code_of({error})});
  }

  const SweepSelection& selection_;
  const Layout& layout_;
  const ProblemLoader& load_;
  const LoadingProgress& progress_;
  std::set<fs::path> folders_;   // of problems
  std::set<std::string> slugs_;  // of all problems in these folders
  std::map<std::string, Problem> problems_;
  std::map<std::string, std::vector<fs::path>> candidates_;
  std::set<fs::path> linked_;  // real paths of the files in named folders
  SweepPlan plan_;
};

}  // namespace

std::string SweepGroup::label() const {
  const std::string name = problem_name(problem.slug, problem.dtype);
  return problem.precision == "fp32" ? name : fmt::format("{}, {}", name, problem.precision);
}

UngradedCandidate without_verdict(const SweepPlan& plan, std::size_t task, std::string message,
                                  int exit_code) {
  const SweepTask& one = plan.tasks[task];
  const Problem& problem = plan.groups[one.group].problem;
  return {one.candidate, std::move(message), problem.slug, problem.dtype, exit_code};
}

Result<SweepPlan> make_plan(const SweepSelection& selection, const Layout& layout, const ProblemLoader& load,
                            const LoadingProgress& progress) {
  return Planner(selection, layout, load, progress).plan();
}

TaskFinder::TaskFinder(const SweepPlan& plan, Effort effort) : plan_(plan), effort_(effort) {
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    std::string path = plan.tasks[task].candidate.string();
    if (first_invalid_utf8(path)) {
      // A record is JSON, which holds only UTF-8.
      using nlohmann::json;
      path = json::parse(json(path).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
    }
    by_path_.emplace(std::move(path), task);
  }
}

std::optional<std::size_t> TaskFinder::find(const Record& record) const {
  const auto [first, last] = by_path_.equal_range(record.candidate().path);
  const auto found = std::find_if(first, last, [&](const auto& candidate) {
    const SweepTask& task = plan_.tasks[candidate.second];
    const Problem& problem = plan_.groups[task.group].problem;
    return record.problem_slug == problem.slug && record.problem_sha256 == problem.content_sha256 &&
           record.dtype == problem.dtype && record.required_precision == precision_from(problem.precision) &&
           record.candidate().sha256 == task.sha256 && record.effort == effort_;
  });
  if (found == last) return std::nullopt;
  return found->second;
}

std::map<fs::path, Result<Problem>> load_problems(const std::vector<fs::path>& files,
                                                  const ProblemLoader& load,
                                                  const LoadingProgress& progress) {
  const std::set<fs::path> all(files.begin(), files.end());
  auto next = all.begin();
  std::map<fs::path, Result<Problem>> loaded;
  std::mutex mutex;
  if (progress) progress(0, all.size());
  const auto work = [&] {
    for (std::unique_lock lock(mutex); next != all.end();) {
      const fs::path& file = *next++;
      lock.unlock();
      auto problem = load(file);
      lock.lock();
      loaded.emplace(file, std::move(problem));
      if (progress) progress(loaded.size(), all.size());
    }
  };
  const std::size_t threads = std::min(all.size(), static_cast<std::size_t>(usable_cores()));
  std::vector<std::future<void>> working;
  for (std::size_t i = 0; i < threads; ++i) working.push_back(std::async(std::launch::async, work));
  for (auto& one : working) one.get();
  return loaded;
}

}  // namespace kgrade
