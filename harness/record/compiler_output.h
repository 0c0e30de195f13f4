// What tables show of a compiler's log. Records keep the whole log.
#pragma once

#include <string>

namespace kgrade {

// The name in compilers' messages of the unit that includes a contestant (compile/binding.h).
inline constexpr const char* unit_name = "kgrade-binding";

// Whether compilers, assemblers or linkers report an error in the line. The word comes after a place in a
// file, or after the name of a program.
bool reports_error(const std::string& line);

// The log without what it says about the unit, which users do not know, and without blank lines at its end.
// The whole log if no error would be left.
std::string log_about_candidate(const std::string& log);

}  // namespace kgrade
