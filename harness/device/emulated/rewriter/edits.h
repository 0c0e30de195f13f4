// Replacements in a text that leave every line where it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::emulated {

class Edits {
 public:
  // Replaces bytes [begin, end) with `replacement`, which holds no newline. Edits must not overlap. An edit
  // that begins inside another one is dropped.
  void replace(std::size_t begin, std::size_t end, std::string replacement);
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  bool empty() const { return edits_.empty(); }

  // Returns the edited text. The newlines of a replaced range follow its replacement. A continuation
  // (backslash, newline) stays a continuation.
  std::string apply(std::string_view text) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string replacement;
  };
  std::vector<Edit> edits_;
};

// The text as a string literal of C++, with its quotes.
std::string string_literal(const std::string& text);

}  // namespace kgrade::emulated
