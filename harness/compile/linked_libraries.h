// Lists the libraries that a built library asks the dynamic loader for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// The names under DT_NEEDED, and under the filters, which the loader opens too. Each name once, in the order
// of the file. Like the loader, this reads only program headers (System V ABI, "Program Header" and "Dynamic
// Section"). The file may be hostile: for any content the result is a list or an Error. Only for 64-bit
// little-endian machines.
Result<std::vector<std::string>> linked_libraries(const std::filesystem::path& library);

// The libraries beside the program, in its folder, that it needs itself or through another library. A wheel
// has libraries there, since the machine may lack them. Empty if there are none, or if the program cannot be
// read.
std::vector<std::filesystem::path> libraries_beside(const std::filesystem::path& program);

}  // namespace kgrade
