#include "base/temporary_directory.h"

#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "base/cleanup.h"

namespace kgrade {

TemporaryDirectory::TemporaryDirectory() {
  const char* base = std::getenv("TMPDIR");
  const std::string folder = base != nullptr && *base != '\0' ? base : "/tmp";
  path_ = Cleanup::of_this_process().make_directory(folder + "/kgrade-XXXXXX");
}

TemporaryDirectory::TemporaryDirectory(std::filesystem::path made_already) : path_(std::move(made_already)) {
  Cleanup::of_this_process().remember(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  Cleanup::of_this_process().forget(path_);
}

}  // namespace kgrade
