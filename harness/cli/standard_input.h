// A candidate from standard input. On the command line its name is `-`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"

namespace kgrade::cli {

// Keeps the candidate in a file for as long as the object lives.
class StandardInput {
 public:
  // Replaces `-`, if present, with the file. Errors: `-` is there twice, or standard input cannot be read.
  Errors replace(std::vector<std::filesystem::path>& candidates);
  // The text with `<stdin>` instead of the file's path, as compilers write it.
  std::string shown(std::string text) const;

 private:
  std::optional<TemporaryDirectory> folder_;
  std::string path_;
};

}  // namespace kgrade::cli
