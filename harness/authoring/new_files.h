// Creates the files of a new problem: all of them, or none. Also makes the text of the first reference, which
// compiles and runs, but computes nothing yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade::authoring {

// The paths of the files of a problem with this slug. The problem file goes into `folder`. The reference goes
// into the folder reference/ beside `folder`, where kgrade looks for references.
struct ProblemPlaces {
  std::filesystem::path file;
  std::filesystem::path reference;
};
ProblemPlaces places_of(const std::filesystem::path& folder, const std::string& slug);

struct NewFile {
  std::filesystem::path path;
  std::string content;
};

// Writes all files, or none. Existing files and links are never touched, not even dangling links: an Error
// names them. Missing folders are made, and removed again on failure.
Result<bool> write_new_files(const std::vector<NewFile>& files);

// --- The first reference of a new problem ---

// The text of reference/<slug>.cu: one kernel for each output, with one thread for each element. Each kernel
// writes 0 where the author has to put the formula. Every tensor must have a shape.
std::string reference_stub(const Problem& problem);

}  // namespace kgrade::authoring
