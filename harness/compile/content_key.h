// What a contestant is made of, as one number.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/toolchain.h"

namespace kgrade {

// The SHA-256 of all that decides what a build gives: `identity` (of the toolchain and of this program), the
// generated unit, macros, and names and contents of all files that the compiler may read, relative to their
// folders: where a folder lies plays no part. Of a vendor's folders the name stands for what they hold.
// Nothing where a file cannot be read, or where they are too many to be a contestant's: that is then built
// anew each time.
std::optional<std::string> content_key(const std::string& identity, const Problem& problem,
                                       const BuildRequest& request);

// The SHA-256 of the names and contents of all files below the folder; nothing where they cannot all be read.
std::optional<std::string> hash_of_folder(const std::filesystem::path& folder);

}  // namespace kgrade
