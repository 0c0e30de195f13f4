// Recognises a candidate's file that is not CUDA C++: an archive, a Python file, an answer of a language
// model with prose around its code. A compiler would print thousands of useless errors for such a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kgrade {

inline constexpr const char* is_python_message =
    "is Python, not CUDA C++; give the file a name that ends in .py";

enum class TextKind {
  binary,  // not text
  python,
  document,  // prose, or code with prose around it
  other
};

struct OtherKind {
  std::string message;  // "is Python, not CUDA C++; give the file a name that ends in .py"
  int line = 0;         // that shows it; 0: the whole file
  TextKind kind = TextKind::other;
};

// Nothing if the content may be CUDA C++, with or without mistakes. Each rule is about something that a valid
// source cannot contain.
std::optional<OtherKind> other_kind(std::string_view content);

}  // namespace kgrade
