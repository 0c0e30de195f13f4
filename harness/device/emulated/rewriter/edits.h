// Replacements in a text that leave every line where it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::emulated {

class Edits {
 public:
  // Bytes [begin, end) give way to `replacement`, which holds no newline. Edits must not overlap; one that
  // begins inside another is dropped.
  void replace(std::size_t begin, std::size_t end, std::string replacement);
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  bool empty() const { return edits_.empty(); }

  // The newlines that a replaced range held follow its replacement, as continuations (backslash, newline)
  // where the range held them so.
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
