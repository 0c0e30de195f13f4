// Replacements in a text that leave every line where it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::emulated {

class Edits {
 public:
  // Replaces bytes [begin, end) with `replacement`, which holds no newline. Edits must not overlap; one that
  // begins inside another is dropped.
  void replace(std::size_t begin, std::size_t end, std::string replacement);
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  bool empty() const { return edits_.empty(); }

  // The newlines of a replaced range follow its replacement. A continuation (backslash, newline) stays one.
  std::string apply(std::string_view text) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string replacement;
  };
  std::vector<Edit> edits_;
};

// A text as C++ writes it, with quotes around it.
std::string string_literal(const std::string& text);

}  // namespace kgrade::emulated
