// A private folder (mode 0700) below $TMPDIR or /tmp. It is removed with everything in it when the object is
// destroyed, or when a signal ends the run: see clean_up_on_signals() in base/cleanup.h. After SIGKILL the
// next run removes it.
#pragma once

#include <filesystem>
#include <string_view>

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

// The folders of runs that SIGKILL ended before they could remove them. The owner of a folder holds a lock on
// it (flock(2) on the folder itself). The kernel releases the lock whenever the owner ends, so no recorded
// process id has to be trusted.

// "kgrade-XXXXXX", for mkdtemp(3).
inline constexpr const char* temporary_folder_pattern = "kgrade-XXXXXX";

bool is_temporary_folder_name(std::string_view name);

// Locks a folder for as long as the descriptor is open. Returns no descriptor if the file system has no
// locks, or if another process has just removed the folder as abandoned.
UniqueFd hold_folder(const std::filesystem::path& folder);

// Removes the folders in `folder` whose names match the pattern, that belong to this user, and whose owner
// has ended.
void remove_abandoned_folders(const std::filesystem::path& folder);

}  // namespace kgrade
