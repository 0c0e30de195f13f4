#include "authoring/marks.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "problem/fields.h"

namespace kgrade::authoring {
namespace {

// Where a comment begins that YAML sees as one: behind a blank, and not in double quotes.
std::optional<std::size_t> comment_in(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (line[i] == '#' && !quoted && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return i;
  }
  return std::nullopt;
}

std::optional<Mark> todo_in(std::string_view line) {
  const auto comment = comment_in(line);
  if (!comment) return std::nullopt;
  const std::string_view text = trimmed(line.substr(*comment + 1));
  if (!text.starts_with(todo_mark)) return std::nullopt;
  return Mark{0, static_cast<int>(*comment) + 1, std::string(text), true};
}

std::optional<Mark> placeholder_in(std::string_view line) {
  for (const std::string_view placeholder : {sentence_placeholder, formula_placeholder}) {
    const std::size_t at = line.find(placeholder);
    if (at != line.npos) return Mark{0, static_cast<int>(at) + 1, std::string(placeholder), false};
  }
  return std::nullopt;
}

bool is_dashes(std::string_view line) { return line.starts_with("---") && trimmed(line) == "---"; }

}  // namespace

std::vector<Mark> marks_left_in(std::string_view file) {
  std::vector<Mark> marks;
  int dashes = 0;
  for (int number = 1; !file.empty(); ++number) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (dashes < 2 && is_dashes(line)) ++dashes;
    auto mark = dashes < 2 ? todo_in(line) : placeholder_in(line);
    if (!mark) continue;
    mark->line = number;
    marks.push_back(*std::move(mark));
  }
  return marks;
}

}  // namespace kgrade::authoring
