#include "record/printed.h"

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace {

std::string shown(std::string_view line) {
  const std::string_view text = trimmed(line, "\r");
  std::string kept = printable(text.substr(0, longest_printed_line));
  if (text.size() > longest_printed_line) kept += "...";
  return kept;
}

}  // namespace

Printed lines_printed(std::string_view text, bool all_room) {
  text = text.substr(0, text.find_last_not_of(std::string_view("\0\n\r", 3)) + 1);
  Printed printed;
  printed.cut_off = all_room;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (printed.lines.size() < most_printed_lines) {
      printed.lines.push_back(shown(text.substr(begin, end - begin)));
    } else {
      printed.more_lines += 1;
    }
    begin = end + 1;
  }
  return printed;
}

}  // namespace kgrade
