// A private folder (mode 0700) below $TMPDIR or /tmp. It is removed with everything in it when the object is
// destroyed, or when a signal ends the run: see clean_up_on_signals() in base/cleanup.h. After SIGKILL the
// next run removes it: see base/abandoned_folders.h.
#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace kgrade {

class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws std::system_error when no folder can be made
  // Takes over a folder that another process made. The folder is removed when either process lets it go.
  explicit TemporaryDirectory(std::filesystem::path made_already);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The folder in which temporary folders are made.
  static std::filesystem::path base();

 private:
  std::filesystem::path path_;
  UniqueFd hold_;  // the lock of its owner
};

}  // namespace kgrade
