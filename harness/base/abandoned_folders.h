// Temporary folders of runs that could not remove them, since SIGKILL ended them. Each folder in use is
// locked by its owner (flock(2) on the folder itself): the kernel lets go of the lock when the owner ends,
// however it ends, and no process id has to be believed.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/unique_fd.h"

namespace kgrade {

// "kgrade-XXXXXX", for mkdtemp(3).
inline constexpr const char* temporary_folder_pattern = "kgrade-XXXXXX";

bool is_temporary_folder_name(std::string_view name);

// Locks a folder for as long as the descriptor is open. Without one where the file system has no locks, or
// where another process has just removed the folder as abandoned.
UniqueFd hold_folder(const std::filesystem::path& folder);

// Removes the folders of that pattern in `folder` that are this user's own and have no owner left.
void remove_abandoned_folders(const std::filesystem::path& folder);

}  // namespace kgrade
