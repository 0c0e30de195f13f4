#include "check/sanitizer_report.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace kgrade {
namespace {

constexpr std::string_view mark = "=========";

// What follows the mark: the text without the blanks before it, and how many they are.
struct Line {
  std::string text;
  std::size_t indent = 0;
};

std::optional<Line> line_of_tool(const std::string& line) {
  if (!line.starts_with(mark)) return std::nullopt;
  const std::string rest = line.substr(mark.size());
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string::npos) return Line{};
  std::string text = rest.substr(begin);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return Line{text, begin};
}

std::uint64_t number(std::string text, int base = 10) {
  std::erase(text, ',');
  return std::strtoull(text.c_str(), nullptr, base);
}

std::array<std::uint32_t, 3> triple(const std::smatch& match, std::size_t first) {
  std::array<std::uint32_t, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) values[i] = static_cast<std::uint32_t>(number(match[first + i].str()));
  return values;
}

// "FUNCTION+0xc0 in FILE:7", the file with line being left out where nothing is known of it. Function names
// may hold anything, so that the last "+0x" counts. By hand: a regular expression takes the square of its
// time for names that are full of it.
std::optional<ReportPlace> read_place(const std::string& text) {
  const std::size_t colon = text.find_last_not_of("0123456789");
  const bool has_line = colon != std::string::npos && text[colon] == ':' && colon + 1 < text.size();
  std::size_t at = text.rfind("+0x");
  for (; at != std::string::npos; at = at > 0 ? text.rfind("+0x", at - 1) : std::string::npos) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at + 3), text.size());
    if (end == at + 3) continue;
    if (end == text.size()) return ReportPlace{text.substr(0, at), "", 0};
    if (!has_line || text.compare(end, 4, " in ") != 0 || colon <= end + 4) continue;
    return ReportPlace{text.substr(0, at), text.substr(end + 4, colon - end - 4),
                       static_cast<int>(number(text.substr(colon + 1)))};
  }
  return std::nullopt;
}

bool is_headline(const std::string& text) {
  static const std::regex pattern(
      R"(^(Invalid __\w+__ |Uninitialized __\w+__ memory read|Barrier error detected|Leaked [0-9,]+ bytes).*)");
  return std::regex_match(text, pattern);
}

// "Error: Race reported between Write access at PLACE", followed by "and Read access at PLACE [256 hazards]".
bool begin_race(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(
      R"(^(?:Error|Warning|Info): (Race reported between (\w+) access) at (.*)$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return false;
  entry = {};
  entry.headline = match[1].str();
  entry.other_place = read_place(match[3].str());
  return true;
}

void read_race_end(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(R"(^and (\w+) access at (.*?)(?: \[([0-9,]+) hazards?\])?$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  if (entry.place) return;  // further ones say the same of other places
  entry.headline += " and " + match[1].str() + " access";
  entry.place = read_place(match[2].str());
  if (match[3].matched) entry.hazards = number(match[3].str());
}

void read_thread(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(
      R"(^by thread \(([0-9]+),([0-9]+),([0-9]+)\) in block \(([0-9]+),([0-9]+),([0-9]+)\).*)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  entry.thread = triple(match, 1);
  entry.block = triple(match, 4);
}

void read_address(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(R"(^(?:Access to|Address) (0x[0-9a-f]+)(?: is (.*))?$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  entry.address = number(match[1].str(), 16);
  entry.reason = match[2].str();
}

void read_nearest(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(
      R"(^and is ([0-9,]+) bytes (after|before) the nearest allocation at 0x[0-9a-f]+ of size ([0-9,]+) bytes.*)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  // Far enough for any message, and safe to negate.
  constexpr std::uint64_t farthest = std::uint64_t{1} << 60;
  const auto bytes = static_cast<std::int64_t>(std::min(number(match[1].str()), farthest));
  entry.beyond = match[2] == "after" ? bytes : -bytes;
  entry.allocation_bytes = number(match[3].str());
}

void read_frame(const std::string& text, ReportEntry& entry) {
  static const std::regex pattern(R"(^Host Frame: ?(.*?) ?\[0x([0-9a-f]+)\] in (.*)$)");
  std::smatch match;
  if (!std::regex_match(text, match, pattern)) return;
  entry.host_frames.push_back({match[1].str(), number(match[2].str(), 16), match[3].str()});
}

void read_detail(const std::string& text, ReportEntry& entry) {
  if (text.starts_with("at ")) {
    if (!entry.place) entry.place = read_place(text.substr(3));
  } else if (entry.headline.starts_with("Race")) {
    read_race_end(text, entry);
  } else {
    read_thread(text, entry);
    read_address(text, entry);
    read_nearest(text, entry);
    read_frame(text, entry);
  }
}

constexpr std::size_t longest_report_line = 8192;

}  // namespace

std::vector<ReportEntry> parse_sanitizer_report(const std::string& text) {
  std::vector<ReportEntry> entries;
  bool open = false;
  std::istringstream stream(text);
  for (std::string raw; std::getline(stream, raw);) {
    // Names in it are the candidate's, of any length; matching takes stack for each character.
    if (raw.size() > longest_report_line) continue;
    const auto line = line_of_tool(raw);
    if (!line) continue;
    ReportEntry begun;
    if (is_headline(line->text)) {
      begun.headline = line->text;
      entries.push_back(std::move(begun));
      open = true;
    } else if (begin_race(line->text, begun)) {
      entries.push_back(std::move(begun));
      open = true;
    } else if (line->indent <= 1) {
      open = false;  // an empty line, a summary, or a message of another kind
    } else if (open) {
      read_detail(line->text, entries.back());
    }
  }
  return entries;
}

}  // namespace kgrade
