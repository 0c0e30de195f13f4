// Finds KernelBench's problem files and the candidates of its runs, and matches candidates to problems.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace kgrade {

// The paths to which a shell would expand the pattern, in order of name.
std::vector<std::filesystem::path> paths_matching(const std::string& pattern);

// The .py files that a pattern names. For a folder, these are the files in it and in its subfolders level1,
// level_2 and so on. Sorted by folder, then by the number at the beginning of the name. Problems of public
// sets that the pattern itself names (problem/set_files.h) are left out. Empty if the pattern names no other
// files, or only folders of .md files.
std::vector<std::filesystem::path> module_files(const std::string& pattern);

// The candidates that a pattern names, also in folders. All *.cu and *.py files are candidates, because a
// file without a valid answer counts as a failed answer. Other files are candidates if they hold a
// submission. KernelBench's prompts and the problems are left out. A pattern without a slash that matches
// nothing is matched with the contents of `solutions`, unless `solutions` is empty. Links to folders and
// hidden folders are skipped.
std::vector<std::filesystem::path> module_candidates(const std::string& pattern,
                                                     const std::filesystem::path& solutions,
                                                     const std::vector<std::filesystem::path>& problems);

struct ModuleMatches {
  std::vector<std::vector<std::filesystem::path>> by_problem;  // the candidates of each problem
  std::vector<UngradedCandidate> ambiguous;                    // candidates that match two problems or more
  std::vector<std::filesystem::path> unmatched;
};
ModuleMatches match_modules(const std::vector<std::filesystem::path>& candidates,
                            const std::vector<std::filesystem::path>& problems);

}  // namespace kgrade
