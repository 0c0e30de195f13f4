#include "problem/source_lines.h"

#include <algorithm>

#include "base/characters.h"

namespace kgrade {
namespace {

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

}  // namespace

SourceLines::SourceLines(std::string_view text, std::string file, int first_line)
    : text_(text), file_(std::move(file)), first_line_(first_line), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

Location SourceLines::location(int mark_line, int mark_column) const {
  const int last = static_cast<int>(starts_.size()) - 1;
  const int line = std::clamp(mark_line, 0, last);
  return {file_, line + first_line_, mark_line == line ? std::max(mark_column, 0) + 1 : 1};
}

bool SourceLines::is_indented_by_tab(int mark_line) const {
  if (mark_line < 0 || static_cast<std::size_t>(mark_line) >= starts_.size()) return false;
  const std::size_t at = text_.find_first_not_of(' ', starts_[static_cast<std::size_t>(mark_line)]);
  return at != std::string_view::npos && text_[at] == '\t';
}

std::size_t SourceLines::offset_of(const Location& location) const {
  const std::size_t line = static_cast<std::size_t>(location.line - first_line_);
  return std::min(starts_[line] + static_cast<std::size_t>(location.column - 1), text_.size());
}

Location SourceLines::location_of(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = after - starts_.begin() - 1;
  return {file_, static_cast<int>(line) + first_line_, static_cast<int>(offset - *(after - 1)) + 1};
}

SourceLines::Slice SourceLines::slice_of(std::string_view value, const Location& start) const {
  std::size_t begin = offset_of(start);
  if (begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) {
    ++begin;
  } else if (begin < text_.size() && (text_[begin] == '|' || text_[begin] == '>')) {
    begin = std::min(text_.find('\n', begin), text_.size());
  }
  begin = skip_spaces(text_, begin);
  std::size_t at = begin;
  std::size_t end = begin;
  for (const char c : value) {
    if (is_space(c)) continue;
    at = skip_spaces(text_, at);
    if (at >= text_.size() || text_[at] != c) return {std::string(value), start};
    end = ++at;
  }
  return {std::string(text_.substr(begin, end - begin)), location_of(begin)};
}

}  // namespace kgrade
