// Remedies for faults of the machine, such as a full disk, so that every error about the same fault names the
// same remedy.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace kgrade {

// The remedy for an errno that concerns the machine: a full disk, a temporary folder that cannot be used, too
// little memory, or a limit on processes or open files that is reached. Empty for any other errno.
std::string remedy_for_machine(int code);

// The user's folder for temporary files. If TMPDIR is a temporary folder of kgrade, this is the folder that
// contains it.
std::filesystem::path temporary_folder_of_user();

// True if a disk or a quota is full.
bool is_lack_of_room(int code);
// The remedy if there is no room for a file at that path.
std::string remedy_for_room(const std::filesystem::path& path);
// Who is to blame for the errno of a call on a file that the user may have named. It is the machine if it is
// out of room, memory or descriptors, or if its disk fails.
Blame blame_for_file(int code);

}  // namespace kgrade
