// Recognises files that are not CUDA C++ by contents that no valid source has: bytes that are not text,
// Python, fences of Markdown. All other files go to the compiler, whose first error says what is wrong.
//
// Also reads a C++ source line by line, without comments and other text that is not code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kgrade {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct CodeLine {
  int number = 0;    // from 1
  std::string text;  // trimmed; at most the first 1,000 bytes of the line
};

// Calls `visit` with each line that contains code, in order, until it returns false. Comments, the contents
// of raw string literals and a byte order mark at the beginning are not code. `source` may be any text; in
// other languages some lines are taken for comments.
void each_code_line(std::string_view source, const std::function<bool(const CodeLine& line)>& visit);

// Says why the bytes are not text that compilers read: "is a binary file, not source code; ...". Null if they
// may be such text.
const char* why_not_text(std::string_view content);

// The number of the first line of code if that line is Python. 0 if it is not, so that the text may be C++.
int line_of_python(std::string_view content);
inline constexpr const char* is_python_message =
    "is Python, not CUDA C++; give the file a name that ends in .py";

// The number of the first line of ``` outside of comments, literals and #if, or of ~~~ before any code. 0 if
// there is no such line, so that the text may be C++.
int line_of_fence(std::string_view content);

}  // namespace kgrade
