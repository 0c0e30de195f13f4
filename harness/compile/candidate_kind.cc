#include "compile/candidate_kind.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string>

#include "base/text.h"
#include "compile/code_lines.h"

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

}  // namespace

const char* why_not_text(std::string_view content) {
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    return "is text in UTF-16, which compilers do not read; save it as UTF-8";
  // With more than one control character in a hundred bytes it is not text in any encoding.
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

}  // namespace kgrade
