// Whether a built library offers `solution` under its C name. kgrade calls it through an entry of its own,
// which finds it as C++ does; other programs look the name up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "problem/problem.h"

namespace kgrade {

// Why other programs would not find it, and what to write: "'solution' lacks extern "C": the library offers
// it as the C++ function _Z8solutionPKfPfm; write: extern "C" void solution(...)". Nothing when they would,
// or when the library cannot be read: then it does not load either. The same for every device.
std::optional<std::string> symbol_complaint(const Problem& problem, const std::filesystem::path& library,
                                            Dtype dtype);

}  // namespace kgrade
