// Lists the libraries that a built library asks the dynamic loader for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// The names in DT_NEEDED entries, and in filter entries, because the loader opens those libraries too. Each
// name occurs once, in the order of the file. Like the loader, this reads only program headers (System V ABI,
// "Program Header" and "Dynamic Section"). The file may be hostile: for any content the result is a list or
// an Error. This function works only on 64-bit little-endian machines.
Result<std::vector<std::string>> linked_libraries(const std::filesystem::path& library);

// The libraries in the program's folder that the program needs, itself or through another library. A wheel
// has libraries there, since the machine may lack them. Empty if there are none, or if the program cannot be
// read.
std::vector<std::filesystem::path> libraries_beside(const std::filesystem::path& program);

}  // namespace kgrade
