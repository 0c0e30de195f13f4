// What a built library asks the dynamic loader for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// The names under DT_NEEDED, and under the filters that the loader opens as well, each once, in the order of
// the file. Read as the loader reads them: by program headers alone (System V ABI, "Program Header" and
// "Dynamic Section"). The file may be hostile: whatever it holds, the answer is a list or an Error. Only for
// 64-bit little-endian machines.
Result<std::vector<std::string>> linked_libraries(const std::filesystem::path& library);

}  // namespace kgrade
