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

// Of the libraries that the program links, and that these link in turn, the files in the program's folder. A
// wheel has libraries there that the machine may lack. Empty if there are none, or if the program cannot be
// read.
std::vector<std::filesystem::path> libraries_beside(const std::filesystem::path& program);

}  // namespace kgrade
