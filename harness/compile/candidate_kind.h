// What a candidate's file is when it is no CUDA C++ at all: an archive, a Python file, an answer of a
// language model with prose around its code. Compilers say thousands of things of such a file, and none that
// helps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/toolchain.h"
#include "problem/problem.h"

namespace kgrade {

enum class TextKind {
  binary,  // no text at all
  python,
  document,  // prose, or code with prose around it
  other
};

struct OtherKind {
  std::string message;  // "is Python, not CUDA C++; give the file a name that ends in .py"
  int line = 0;         // that shows it; 0: the whole file does
  TextKind kind = TextKind::other;
};

// Nothing for what may be CUDA C++, with mistakes or without: each rule here is about something that no valid
// source can hold.
std::optional<OtherKind> other_kind(std::string_view content);

// Of the source of a request (compile/submission.h), in one sentence with its place: "mine.cu:1: is Python,
// not CUDA C++; ...". For an empty file it says what to write. Nothing where a compiler should say what is
// wrong, if anything is.
std::optional<std::string> why_not_cuda(const BuildRequest& request, const Problem& problem);

}  // namespace kgrade
