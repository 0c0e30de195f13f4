#include "sweep/module_candidates.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "compile/submission.h"
#include "problem/kernelbench_names.h"
#include "problem/set_files.h"
#include "record/verdict.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// Adds the files in the folder itself, except package files such as __init__.py.
void add_modules_in(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    const fs::path& path = at->path();
    if (path.extension() == ".py" && !is_hidden(path) && !path.filename().string().starts_with('_') &&
        !fs::is_directory(path, failure))
      files.push_back(path);
  }
}

void add_modules_of(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    // It is a folder of problem files.
    if (at->path().extension() == ".md" && at->path().filename() != "README.md") return;
  }
  add_modules_in(folder, files);
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (fs::is_directory(at->path(), failure) && read_problem_name(at->path() / "0.py").level)
      add_modules_in(at->path(), files);
  }
}

// All files below the folder that can be read.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failure);
  for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    if (!at->is_directory(ignored)) {
      files.push_back(at->path());
    } else if (is_hidden(at->path())) {
      at.disable_recursion_pending();
    }
  }
  return files;
}

std::vector<fs::path> files_named(const std::string& pattern, const fs::path& solutions) {
  const bool names_paths = pattern.find('/') != pattern.npos;
  std::error_code ignored;
  if (!names_paths && !fs::exists(pattern, ignored)) {
    std::vector<fs::path> files = solutions.empty() ? std::vector<fs::path>{} : files_below(solutions);
    std::erase_if(files, [&](const fs::path& file) {
      return ::fnmatch(pattern.c_str(), file.stem().c_str(), FNM_PERIOD) != 0 &&
             ::fnmatch(pattern.c_str(), file.filename().c_str(), FNM_PERIOD) != 0;
    });
    return files;
  }
  std::vector<fs::path> files;
  for (const fs::path& path : paths_matching(pattern)) {
    if (!fs::is_directory(path, ignored)) files.push_back(path);
    const std::vector<fs::path> below = files_below(path);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

fs::path in_one_form(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

}  // namespace

std::vector<fs::path> paths_matching(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

std::vector<fs::path> module_files(const std::string& pattern) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths_matching(pattern)) {
    std::error_code ignored;
    if (is_set_path(path)) continue;
    if (fs::is_directory(path, ignored)) {
      add_modules_of(path, files);
    } else if (path.extension() == ".py") {
      files.push_back(path);
    }
  }
  const auto key = [](const fs::path& file) {
    return std::tuple(file.parent_path(), read_problem_name(file).problem, file);
  };
  std::sort(files.begin(), files.end(),
            [&](const fs::path& a, const fs::path& b) { return key(a) < key(b); });
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

std::vector<fs::path> module_candidates(const std::string& pattern, const fs::path& solutions,
                                        const std::vector<fs::path>& problems) {
  std::set<fs::path> seen;  // the problems, and files that were already found
  for (const fs::path& problem : problems) seen.insert(in_one_form(problem));
  std::vector<fs::path> candidates = files_named(pattern, solutions);
  std::erase_if(candidates, [&](const fs::path& file) {
    const std::string extension = file.extension().string();
    std::error_code failure;
    if (is_hidden(file) || fs::is_directory(file, failure)) return true;
    const bool may_be_candidate = extension == ".py" || extension == ".cu" ||
                                  (!file.stem().string().ends_with("_prompt") && is_candidate(file));
    return !may_be_candidate || !seen.insert(in_one_form(file)).second;
  });
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

ModuleMatches match_modules(const std::vector<fs::path>& candidates, const std::vector<fs::path>& problems) {
  ModuleMatches matches;
  matches.by_problem.resize(problems.size());
  for (const fs::path& candidate : candidates) {
    const std::vector<std::size_t> found = matching_problems(candidate, problems);
    if (found.empty()) {
      matches.unmatched.push_back(candidate);
    } else if (found.size() == 1) {
      matches.by_problem[found.front()].push_back(candidate);
    } else {
      UngradedCandidate one{candidate,
                            fmt::format("its name fits two problems, {} and {}; name level and number, as "
                                        "in level_1_problem_23_sample_0_kernel.py",
                                        problems[found[0]].string(), problems[found[1]].string())};
      one.exit_code = exit_usage;
      matches.ambiguous.push_back(std::move(one));
    }
  }
  return matches;
}

}  // namespace kgrade
