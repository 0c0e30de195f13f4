// The files that a command writes, looked at before any work is done: losing a result for a slip in a path
// would be a waste, and losing what the command reads is worse.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::cli {

struct Output {
  std::string option;  // "--json"
  std::string file;    // none where it is empty, standard output where it is "-"
  bool replaces_records = false;
};

// Why some cannot be written. No two may be one file, none may be one of the files that are read, and what is
// no record itself may not replace a file of records.
Errors check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs = {});

// Why a command that writes into the file it reads could not do so: the file, or the folder that the new one
// is made in before it takes the place of the old, is read-only.
std::optional<Error> why_not_rewritable(const std::filesystem::path& file);

}  // namespace kgrade::cli
