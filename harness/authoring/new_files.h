// Files that come into being together or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::authoring {

// Where a problem of this slug belongs when its file goes into `folder`: the reference into the folder beside
// it, where kgrade looks for it.
struct ProblemPlaces {
  std::filesystem::path file;
  std::filesystem::path reference;
};
ProblemPlaces places_of(const std::filesystem::path& folder, const std::string& slug);

struct NewFile {
  std::filesystem::path path;
  std::string content;
};

// Writes all files, or none. Nothing that exists is touched, a dangling link included: it is an Error that
// names it. Folders that are missing are made, and removed again on failure.
Result<bool> write_new_files(const std::vector<NewFile>& files);

}  // namespace kgrade::authoring
