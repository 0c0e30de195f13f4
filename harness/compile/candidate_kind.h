// Recognises what is not CUDA C++ by what no valid source contains: bytes that are not text, Python, fences
// of Markdown. All else is for the compiler, which says with its first error what is wrong.
//
// Also reads a C++ source line by line, without comments and other text that is not code.
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

// Why the bytes are not text that compilers read: "is a binary file, not source code; ...". Null if they may
// be.
const char* why_not_text(std::string_view content);

// The first line of code, if it is Python. 0: it is not, and the text may be C++.
int line_of_python(std::string_view content);
inline constexpr const char* is_python_message =
    "is Python, not CUDA C++; give the file a name that ends in .py";

// The first line of ``` outside of comments, literals and #if, or of ~~~ before any code. 0: there is none,
// and the text may be C++.
int line_of_fence(std::string_view content);

}  // namespace kgrade
