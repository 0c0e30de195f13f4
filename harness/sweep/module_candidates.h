// Problems as KernelBench has them, and the candidates of its runs: which files those are, and which
// candidate is of which problem.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace kgrade {

// What the shell would make of a pattern, in order of name.
std::vector<std::filesystem::path> paths_matching(const std::string& pattern);

// The .py files that a pattern names, or that the folders have that it names, and their folders level1,
// level_2 and so on: by folder, then by the number that their names begin with. None where it names none,
// or folders of .md files.
std::vector<std::filesystem::path> module_files(const std::string& pattern);

// The files that a pattern names, and those of the folders that it names, that may be candidates: *.cu and
// *.py, whatever they hold, since an answer that is none has failed; others that hold a submission, but for
// KernelBench's prompts; none of the problems. A pattern without a slash that names nothing is matched with
// what lies in `solutions`, if that is not empty. Links to folders and hidden folders are passed over.
std::vector<std::filesystem::path> module_candidates(const std::string& pattern,
                                                     const std::filesystem::path& solutions,
                                                     const std::vector<std::filesystem::path>& problems);

struct ModuleMatches {
  std::vector<std::vector<std::filesystem::path>> by_problem;  // candidates
  std::vector<UngradedCandidate> ambiguous;                    // of two problems or more
  std::vector<std::filesystem::path> unmatched;
};
ModuleMatches match_modules(const std::vector<std::filesystem::path>& candidates,
                            const std::vector<std::filesystem::path>& problems);

}  // namespace kgrade
