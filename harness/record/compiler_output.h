// What tables show of a compiler's log. Records keep the whole log.
#pragma once

#include <string>
#include <vector>

namespace kgrade {

// The name in compilers' messages of the unit that includes a contestant (compile/binding.h).
inline constexpr const char* unit_name = "kgrade-binding";

// Whether compilers, assemblers or linkers report an error in the line. The word comes after a place in a
// file, or after the name of a program.
bool reports_error(const std::string& line);

// The log without messages about the unit, which users do not know, and without blank lines at its end. The
// whole log if no error would be left.
std::string log_about_candidate(const std::string& log);

// A warning about a local variable that is used without a value.
struct UninitialisedVariable {
  std::string file;  // as the compiler names it
  int line = 0;      // of its declaration if the compiler names that, otherwise of its use
  std::string message;
  bool operator==(const UninitialisedVariable&) const = default;
};

// The variables that a log of g++, clang++ or nvcc warns about, each once, in their order.
std::vector<UninitialisedVariable> uninitialised_variables(const std::string& log);

}  // namespace kgrade
