// Remedies for faults of the machine, such as a full disk, so that every error about the same fault names the
// same remedy.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace kgrade {

// The remedy for an errno that concerns the machine: a full disk, too few processes, files or memory. Empty
// for others.
std::string remedy_for_machine(int code);

// The folder for temporary files as the user named it, even if this process was given one of our temporary
// folders instead.
std::filesystem::path temporary_folder_of_user();

// True if a disk or a quota is full.
bool is_lack_of_room(int code);
// The remedy if there is no room for a file at that path.
std::string remedy_for_room(const std::filesystem::path& path);
// True if the error has the remedy of remedy_for_room(): the machine is to blame, not the user who named the
// file.
bool is_about_room(const Error& error);

}  // namespace kgrade
