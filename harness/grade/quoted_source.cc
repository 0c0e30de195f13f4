#include "grade/quoted_source.h"

#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t longest_line = 160;
constexpr const char* blanks = " \t\r";

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  const auto content = read_text_file(file);
  if (!content) return lines;
  std::istringstream stream(*content);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == std::string::npos) return "";
  std::string text = line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
  if (text.size() > longest_line) text = text.substr(0, longest_line) + " ...";
  return text;
}

}  // namespace

std::string QuotedSource::line(const std::string& file, int number) {
  auto known = files_.find(file);
  if (known == files_.end()) known = files_.emplace(file, lines_of(file)).first;
  const std::vector<std::string>& lines = known->second;
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  return trimmed(lines[static_cast<std::size_t>(number) - 1]);
}

}  // namespace kgrade
