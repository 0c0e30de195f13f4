// A candidate from standard input, which is named `-` on the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"

namespace kgrade::cli {

// Keeps it in a file for as long as the object lives.
class StandardInput {
 public:
  // Puts the file in the place of `-`, if it is there. Errors: `-` is there twice, or cannot be read.
  Errors replace(std::vector<std::filesystem::path>& candidates);
  // The text with `<stdin>` in the place of the file, as compilers write it.
  std::string shown(std::string text) const;

 private:
  std::optional<TemporaryDirectory> folder_;
  std::string path_;
};

}  // namespace kgrade::cli
