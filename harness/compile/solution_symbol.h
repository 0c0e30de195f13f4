// Checks that a built library exports `solution` under its C name. kgrade does not need that name, because it
// calls `solution` through an entry of its own, but other programs look it up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "problem/problem.h"

namespace kgrade {

// Says why other programs would not find `solution`, and what to write: "'solution' lacks extern "C": the
// library offers it as the C++ function _Z8solutionPKfPfm; write: extern "C" void solution(...)". Nothing if
// they would find it. Also nothing if the library cannot be read, because such a library does not load
// either. The result does not depend on the device.
std::optional<std::string> symbol_complaint(const Problem& problem, const std::filesystem::path& library,
                                            Dtype dtype);

}  // namespace kgrade
