#include "device/emulated/rewriter/edits.h"

#include <algorithm>

namespace kgrade::emulated {
namespace {

// The newlines of `replaced`, each with the backslash before it if it has one.
std::string newlines_of(std::string_view replaced) {
  std::string result;
  for (std::size_t i = 0; i < replaced.size(); ++i) {
    if (replaced[i] != '\n') continue;
    const bool after_return = i > 0 && replaced[i - 1] == '\r';
    const std::size_t before = i - (after_return ? 1 : 0);
    result += before > 0 && replaced[before - 1] == '\\' ? " \\\n" : "\n";
  }
  return result;
}

}  // namespace

void Edits::replace(std::size_t begin, std::size_t end, std::string replacement) {
  edits_.push_back({begin, end, std::move(replacement)});
}

std::string Edits::apply(std::string_view text) const {
  std::vector<Edit> ordered = edits_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t position = 0;
  for (const Edit& edit : ordered) {
    if (edit.begin < position) continue;
    result += text.substr(position, edit.begin - position);
    result += edit.replacement;
    result += newlines_of(text.substr(edit.begin, edit.end - edit.begin));
    position = edit.end;
  }
  result += text.substr(position);
  return result;
}

std::string string_literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace kgrade::emulated
