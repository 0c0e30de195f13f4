// A file in memory that another process gets by its descriptor.
#pragma once

#include <string_view>

#include "base/unique_fd.h"

namespace kgrade {

// Holds the text. Without a descriptor when the machine has no room for it.
UniqueFd memory_file(std::string_view text);

}  // namespace kgrade
