// Reads a C++ source line by line, without comments and other text that is not code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kgrade {

struct CodeLine {
  int number = 0;    // from 1
  std::string text;  // trimmed; at most the first 1,000 bytes of the line
};

// Calls `visit` with each line that contains code, in order, until it returns false. Comments, the contents
// of raw string literals and a byte order mark at the beginning are not code. `source` may be any text; in
// other languages some lines are taken for comments.
void each_code_line(std::string_view source, const std::function<bool(const CodeLine& line)>& visit);

}  // namespace kgrade
