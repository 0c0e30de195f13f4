// The tokens of LaTeX mathematics.
#pragma once

#include <optional>
#include <string_view>

namespace kgrade::authoring {

struct LatexToken {
  enum class Kind {
    command,      // \frac, \, and \{; `text` begins with the backslash
    number,       // 10, 0.5
    character,    // one character of UTF-8
    open,         // {
    close,        // }
    superscript,  // ^
    subscript,    // _
    align,        // &
    row_end,      // two backslashes
    end
  };
  Kind kind = Kind::end;
  std::string_view text;

  bool is(std::string_view wanted) const { return kind != Kind::end && text == wanted; }
};

// Goes through a formula, white space left out. The source must outlive the reader and its tokens.
class LatexReader {
 public:
  explicit LatexReader(std::string_view source) : source_(source) { advance(); }

  const LatexToken& peek() const { return current_; }
  LatexToken next();
  // The first digit of a number alone: x^10 is x^1 with a 0 behind it. As next() for all else.
  LatexToken next_digit();
  bool at_end() const { return current_.kind == LatexToken::Kind::end; }

  // What stands between the braces that come next, as it is written, or between square brackets. Nothing,
  // and nothing read, when there are none or they have no end.
  std::optional<std::string_view> raw_group();
  std::optional<std::string_view> raw_option();

 private:
  void advance();
  LatexToken command_at(std::size_t begin) const;
  std::optional<std::string_view> raw(char open, char close);

  std::string_view source_;
  std::size_t begin_ = 0;  // of the current token
  std::size_t end_ = 0;    // past it
  LatexToken current_;
};

}  // namespace kgrade::authoring
