// The lines of a C++ source without what is no code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade {

struct CodeLine {
  int number = 0;    // from 1
  std::string text;  // without blanks at its ends
};

// Without comments and the contents of raw string literals, and without the lines that are empty then. A byte
// order mark at the beginning goes too. Anything may be given: of what is no C++ it takes some lines for
// comments.
std::vector<CodeLine> code_lines(std::string_view source);

}  // namespace kgrade
