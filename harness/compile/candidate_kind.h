// Recognises a candidate's file that is not CUDA C++: an archive, a Python file, an answer of a language
// model with prose around its code. A compiler would print thousands of useless errors for such a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/toolchain.h"
#include "problem/problem.h"

namespace kgrade {

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

// Says in one sentence, with its place, why the source of a request (compile/submission.h) is not CUDA C++:
// "mine.cu:1: is Python, not CUDA C++; ...". For an empty file it says what to write. Nothing if the file
// should go to the compiler.
std::optional<std::string> why_not_cuda(const BuildRequest& request, const Problem& problem);

}  // namespace kgrade
