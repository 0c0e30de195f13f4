// Finds and removes the temporary folders of runs that SIGKILL ended before they could remove them. The owner
// of a folder holds a lock on it (flock(2) on the folder itself). The kernel releases the lock whenever the
// owner ends, so no recorded process id has to be trusted.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/unique_fd.h"

namespace kgrade {

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
