// Files that worker and referee hand to each other by their descriptors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

// A worker sees no folder of ours, and what it loads must not change: it gets a copy in memory. Without a
// descriptor for what is no file, or when the machine has no room.
UniqueFd sealed_copy(const std::filesystem::path& library);

// Of a file that a worker sent: whatever it is, reading it neither waits nor takes more than so much. Empty
// for what is no file or too long.
std::string text_in(const UniqueFd& file, std::size_t most);

}  // namespace kgrade
