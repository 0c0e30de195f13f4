// Files that worker and referee hand to each other by their descriptors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

// An unchangeable copy of a library in memory, because a worker sees no folder of ours. Returns no descriptor
// if `library` is not a regular file, or if the machine has no room.
UniqueFd sealed_copy(const std::filesystem::path& library);

// The text in a file that a worker sent. Reading it never waits. Empty if it is not a regular file, or longer
// than `most` bytes.
std::string text_in(const UniqueFd& file, std::size_t most);

}  // namespace kgrade
