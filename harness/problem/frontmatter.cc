#include "problem/frontmatter.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t largest_file = 16 << 20;
constexpr std::size_t largest_frontmatter = 256 << 10;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

Location location_of(std::string_view content, std::size_t offset, const std::string& file) {
  Location location{file, 1, 1};
  for (const char c : content.substr(0, offset)) {
    if (c == '\n') {
      ++location.line;
      location.column = 1;
    } else {
      ++location.column;
    }
  }
  return location;
}

// Terminals obey control characters, and yaml-cpp takes some for the end of the file.
std::optional<std::size_t> first_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool line_end = byte == '\n' || (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7f) return i;
  }
  return std::nullopt;
}

std::optional<Error> check_characters(std::string_view content, const std::string& file) {
  if (const auto offset = first_invalid_utf8(content)) {
    return Error{
        fmt::format("the file is not UTF-8: byte {:#04x}", static_cast<unsigned char>(content[*offset])),
        "save the file in the encoding UTF-8", location_of(content, *offset, file)};
  }
  if (const auto offset = first_control_character(content)) {
    return Error{fmt::format("a control character ({:#04x})", static_cast<unsigned char>(content[*offset])),
                 "remove it; a problem file is plain text", location_of(content, *offset, file)};
  }
  return std::nullopt;
}

std::string with_unix_line_ends(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c != '\r') result += c;
  }
  return result;
}

// A line of three dashes, spaces and tabs after them allowed.
bool is_fence(std::string_view line) {
  return line.starts_with("---") && line.find_first_not_of(" \t", 3) == std::string_view::npos;
}

std::optional<Error> check_frontmatter_size(std::size_t size, const std::string& file) {
  if (size <= largest_frontmatter) return std::nullopt;
  return Error{fmt::format("the frontmatter is larger than {}", format_bytes(largest_frontmatter)),
               "keep the frontmatter to the contract; prose belongs below it",
               {file, 1, 1}};
}

}  // namespace

Result<Frontmatter> split_frontmatter(std::string_view content, const std::string& file) {
  const Location start{file, 1, 1};
  if (content.size() > largest_file) {
    return Error{fmt::format("the file is larger than {}", format_bytes(largest_file)),
                 "a problem file holds text, no data",
                 {file, 0, 0}};
  }
  if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
  if (content.empty())
    return Error{"the file is empty", "begin it with a line `---` and the key `slug:`", start};
  if (auto error = check_characters(content, file)) return *error;
  const std::string text = with_unix_line_ends(content);
  std::size_t begin = text.find('\n');
  if (!is_fence(std::string_view(text).substr(0, begin))) {
    return Error{"the file has no frontmatter",
                 "make `---` the first line, then the keys, then another `---`", start};
  }
  begin = begin == std::string::npos ? text.size() : begin + 1;
  for (std::size_t line = begin; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (is_fence(std::string_view(text).substr(line, end - line))) {
      if (auto error = check_frontmatter_size(line - begin, file)) return *error;
      return Frontmatter{text.substr(begin, line - begin), 2, text.substr(std::min(end + 1, text.size()))};
    }
    line = end + 1;
  }
  return Error{"the frontmatter that begins here has no end", "close it with a line `---`", start};
}

}  // namespace kgrade
