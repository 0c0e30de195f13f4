// Whether a contestant may use the libraries that it uses.
#pragma once

#include <optional>
#include <string>

#include "record/record.h"

namespace kgrade {

// A sentence that names the first library that the problem does not allow (Libraries in problem/problem.h);
// nothing when there is none.
std::optional<std::string> forbidden_library(Libraries allowed, const LibraryUse& used);

}  // namespace kgrade
