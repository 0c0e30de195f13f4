// What a user can do about what a machine lacks, so that each such error names the same remedy.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace kgrade {

// For an errno that is about the machine: a full disk, too few processes, files or memory. Empty for others.
std::string remedy_for_machine(int code);

// The folder for temporary files as the user named it, also in a process that has one of them for its own.
std::filesystem::path temporary_folder_of_user();

// A disk or a quota is full.
bool is_lack_of_room(int code);
// What to do where there is no room for a file with that path.
std::string remedy_for_room(const std::filesystem::path& path);
// True where the error has such a remedy: the machine is to blame, and not who named the file.
bool is_about_room(const Error& error);

}  // namespace kgrade
