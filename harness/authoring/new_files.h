// Files that come into being together or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::authoring {

struct NewFile {
  std::filesystem::path path;
  std::string content;
};

// Writes all files, or none. Nothing that exists is touched, a dangling link included: it is an Error that
// names it. Folders that are missing are made when their parent exists, and removed again on failure.
Result<bool> write_new_files(const std::vector<NewFile>& files);

}  // namespace kgrade::authoring
