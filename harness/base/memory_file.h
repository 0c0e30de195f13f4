// A file in memory that is passed to another process by its descriptor.
#pragma once

#include <string_view>

#include "base/unique_fd.h"

namespace kgrade {

// Makes a file that holds the text. Returns no descriptor if the machine has no room for it.
UniqueFd memory_file(std::string_view text);

}  // namespace kgrade
