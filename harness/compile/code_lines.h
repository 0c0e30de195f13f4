// The lines of a C++ source without what is no code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kgrade {

struct CodeLine {
  int number = 0;    // from 1
  std::string text;  // without blanks at its ends; of a longer line the first 1,000 bytes
};

// Calls `visit` with each line that holds code, in order, until it returns false. Comments, the contents of
// raw string literals and a byte order mark at the beginning are no code. Anything may be given: of what is
// no C++ it takes some lines for comments.
void each_code_line(std::string_view source, const std::function<bool(const CodeLine& line)>& visit);

}  // namespace kgrade
