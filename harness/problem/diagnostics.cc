#include "problem/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace kgrade {

Errors Diagnostics::take() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) {
    return std::tie(a.location.file, a.location.line, a.location.column) <
           std::tie(b.location.file, b.location.line, b.location.column);
  });
  return std::move(errors_);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t limit = 60;
  std::size_t length = text.size();
  if (length > limit) {
    length = limit;
    // Do not cut within a UTF-8 sequence.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::string result = "'";
  for (const char c : text.substr(0, length)) result += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return result + (length < text.size() ? "...'" : "'");
}

std::string in_brackets(const Location& location, std::string_view file) {
  if (location.file == file) return fmt::format(" (line {}, column {})", location.line, location.column);
  return fmt::format(" ({}:{}:{})", location.file, location.line, location.column);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& options) {
  constexpr std::size_t longest_word = 64;
  if (word.size() > longest_word) return "";
  const auto near = nearest(word, options);
  return near ? fmt::format("did you mean '{}'? ", *near) : "";
}

std::string listed(const std::vector<std::string>& options) {
  constexpr std::size_t limit = 48;
  if (options.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < options.size() && i < limit; ++i) {
    if (i > 0) text += ", ";
    text += options[i];
  }
  return options.size() > limit ? text + ", ..." : text;
}

std::string suggestion_of_known(std::string_view word, const std::vector<std::string>& options) {
  return suggestion(word, options) + "known here: " + listed(options);
}

}  // namespace kgrade
