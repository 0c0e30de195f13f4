#include "problem/call_text.h"

#include "base/text.h"

namespace kgrade {

std::optional<CallText> split_call(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return CallText{text, false, {}};
  if (text.back() != ')') return std::nullopt;
  return CallText{trimmed(text.substr(0, open)), true, text.substr(open + 1, text.size() - open - 2)};
}

std::vector<std::string_view> CallText::arguments() const {
  std::vector<std::string_view> found;
  if (trimmed(inside).empty()) return found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    const char c = i < inside.size() ? inside[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || (depth > 0 && i < inside.size())) continue;
    found.push_back(trimmed(inside.substr(begin, i - begin)));
    begin = i + 1;
  }
  return found;
}

}  // namespace kgrade
