#include "compile/candidate_kind.h"

#include <algorithm>
#include <array>
#include <regex>

#include "base/text.h"

namespace kgrade {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 32 && (byte < '\t' || byte > '\r') && byte != 27) || byte == 127;
}

// Whether the preprocessor may accept the line: "#include", "# 1 "file"". Other lines with # are comments of
// a script, or headings.
bool is_directive(std::string_view line) {
  constexpr std::array<std::string_view, 13> words = {"include", "include_next", "import", "define", "undef",
                                                      "if",      "ifdef",        "ifndef", "pragma", "line",
                                                      "error",   "warning",      "ident"};
  const std::string_view text = trimmed(line.substr(1));
  const auto end = std::find_if_not(text.begin(), text.end(),
                                    [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  return text.empty() || is_digit(text.front()) ||
         std::find(words.begin(), words.end(), std::string_view(text.begin(), end)) != words.end();
}

bool is_python(const std::string& line) {
  static const std::regex pattern(
      R"(^import +[A-Za-z_][\w.]*( +as +\w+)?(, *[\w.]+( +as +\w+)?)* *(#.*)?$|^from +[\w.]+ +import +\S|)"
      R"(^(async +)?def +\w+ *\(|^class +\w+ *\(.*\) *:|^@[A-Za-z_]|^"""|^'''|^if +__name__ *==|)"
      R"(^\w+ *= *r?("""|'''))");
  return line.find(';') == std::string::npos && std::regex_search(line, pattern);
}

// Longer lines are cut, because they would be too long for a regular expression.
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

  // Skips to `end`. Ends each line on the way.
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

  // Copies up to the end of the literal. Stops at the end of the line, because an apostrophe in prose has no
  // partner.
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

const char* why_not_text(std::string_view content) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    return "is text in UTF-16, which compilers do not read; save it as UTF-8";
  // A content with more than one control character in a hundred bytes is not text in any encoding.
  const auto controls = static_cast<std::size_t>(std::count_if(content.begin(), content.end(), is_control));
  return controls * 100 > content.size() ? "is a binary file, not source code; name a .cu or .py file"
                                         : nullptr;
}

int line_of_python(std::string_view content) {
  int found = 0;
  each_code_line(content, [&found](const CodeLine& line) {
    const bool is_comment = line.text.starts_with("#") && !is_directive(line.text);
    const bool names_python = line.text.starts_with("#!") && line.text.find("python") != std::string::npos;
    if (names_python || is_python(line.text)) found = line.number;
    return is_comment && found == 0;
  });
  return found;
}

int line_of_fence(std::string_view content) {
  int found = 0, depth = 0;
  bool any_code = false;
  each_code_line(content, [&](const CodeLine& line) {
    const std::string_view text = line.text;
    const std::string_view word = text.starts_with("#") ? trimmed(text.substr(1)) : "";
    if (word.starts_with("if")) ++depth;
    if (word.starts_with("endif")) --depth;
    if (depth == 0 && (text.starts_with("```") || (!any_code && text.starts_with("~~~"))))
      found = line.number;
    any_code = any_code || !text.starts_with("#");
    return found == 0;
  });
  return found;
}

void each_code_line(std::string_view source, const std::function<bool(const CodeLine& line)>& visit) {
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  CodeReader(source, visit).read();
}

}  // namespace kgrade
