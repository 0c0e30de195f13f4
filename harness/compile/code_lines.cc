#include "compile/code_lines.h"

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
// Longer lines would be too much for a regular expression.
constexpr std::size_t longest_line = 1000;

class CodeReader {
 public:
  using Visit = std::function<bool(const CodeLine& line)>;
  CodeReader(std::string_view source, const Visit& visit) : source_(source), visit_(visit) {}

  void read() {
    while (at_ < source_.size() && goes_on_) {
      if (starts("//")) {
        skip_to(source_.find('\n', at_));
      } else if (starts("/*")) {
        skip_behind(source_.find("*/", at_ + 2), 2);
      } else if (starts("R\"")) {
        skip_raw_string();
      } else if (source_[at_] == '"' || source_[at_] == '\'') {
        copy_literal();
      } else {
        copy();
      }
    }
    end_line();
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void copy() {
    const char c = source_[at_++];
    if (c == '\n') return end_line();
    if (text_.size() < longest_line && !(text_.empty() && is_space(c))) text_ += c;
  }

  void end_line() {
    const std::string_view code = trimmed(text_);
    if (!code.empty() && goes_on_) goes_on_ = visit_({number_, std::string(code)});
    text_.clear();
    ++number_;
  }

  // Ends each line on the way.
  void skip_to(std::size_t end) {
    end = std::min(end, source_.size());
    for (; at_ < end; ++at_) {
      if (source_[at_] == '\n') end_line();
    }
  }

  void skip_behind(std::size_t found, std::size_t length) {
    skip_to(found == std::string_view::npos ? found : found + length);
  }

  // R"delimiter( ... )delimiter"
  void skip_raw_string() {
    constexpr std::size_t longest_delimiter = 16;
    const std::size_t begin = at_ + 2;
    const std::size_t open = source_.find('(', begin);
    if (open == std::string_view::npos || open - begin > longest_delimiter) return copy();
    const std::string end = ")" + std::string(source_.substr(begin, open - begin)) + "\"";
    text_ += "R\"\"";
    skip_behind(source_.find(end, open), end.size());
  }

  // Copies up to the end of the literal or of the line, because an apostrophe in prose is not closed.
  void copy_literal() {
    const char quote = source_[at_];
    copy();
    while (at_ < source_.size() && source_[at_] != '\n') {
      const char c = source_[at_];
      copy();
      if (c == '\\' && at_ < source_.size() && source_[at_] != '\n') copy();
      if (c == quote) return;
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int number_ = 1;
  std::string text_;
  const Visit& visit_;
  bool goes_on_ = true;
};

}  // namespace

void each_code_line(std::string_view source, const std::function<bool(const CodeLine& line)>& visit) {
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  CodeReader(source, visit).read();
}

}  // namespace kgrade
