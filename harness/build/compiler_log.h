// Reading what a compiler wrote.
#pragma once

#include <string>

namespace kgrade {

// The first line that reports an error, or the first line at all; without leading and trailing space.
std::string first_error_line(const std::string& log);

}  // namespace kgrade
