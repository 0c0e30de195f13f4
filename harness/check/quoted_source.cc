#include "check/quoted_source.h"

#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t longest_quote = 160;

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  const auto content = read_text_file(file);
  if (!content) return lines;
  std::istringstream stream(*content);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::string shown(const std::string& line) {
  std::string text(trimmed(line));
  if (text.size() > longest_quote) text = text.substr(0, longest_quote) + " ...";
  return text;
}

}  // namespace

std::string QuotedSource::line(const std::string& file, int number) {
  auto known = files_.find(file);
  if (known == files_.end()) known = files_.emplace(file, lines_of(file)).first;
  const std::vector<std::string>& lines = known->second;
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  return shown(lines[static_cast<std::size_t>(number) - 1]);
}

}  // namespace kgrade
