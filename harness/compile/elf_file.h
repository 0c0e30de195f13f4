// Reads a shared library that was built from a hostile source: any field of the file may be wrong.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// Checks that a built library exports `solution` under its C name. kgrade does not need that name, because it
// calls `solution` through an entry of its own, but other programs look it up. Says why they would not find
// it, and what to write: "'solution' lacks extern "C": the
// library offers it as the C++ function _Z8solutionPKfPfm; write: extern "C" void solution(...)". Nothing if
// they would find it. Also nothing if the library cannot be read, because such a library does not load
// either. The result does not depend on the device.
std::optional<std::string> symbol_complaint(const Problem& problem, const std::filesystem::path& library,
                                            Dtype dtype);

// The libraries that a built library asks the dynamic loader for: the names in DT_NEEDED entries, and in
// filter entries, because the loader opens those libraries too. Each name occurs once, in the order of the
// file. Like the loader, this reads only program headers (System V ABI, "Program Header" and "Dynamic
// Section"). The file may be hostile: for any content the result is a list or an Error. This function works
// only on 64-bit little-endian machines.
Result<std::vector<std::string>> linked_libraries(const std::filesystem::path& library);

// The libraries in the program's folder that the program needs, itself or through another library. A wheel
// has libraries there, since the machine may lack them. Empty if there are none, or if the program cannot be
// read.
std::vector<std::filesystem::path> libraries_beside(const std::filesystem::path& program);

}  // namespace kgrade
