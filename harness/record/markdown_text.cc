#include "record/markdown_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kgrade {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == ' ' || c == '-' || c == '/' ||
         static_cast<signed char>(c) < 0;
}

// Not in the middle of a character.
std::string_view cut(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  while (most_bytes > 0 && (static_cast<unsigned char>(text[most_bytes]) & 0xc0) == 0x80) --most_bytes;
  return text.substr(0, most_bytes);
}

}  // namespace

std::string markdown_code(std::string_view text, std::size_t most_bytes) {
  const std::string one_line =
      replace_all(replace_all(std::string(cut(text, most_bytes)), "\n", " "), "\t", " ");
  std::string code = "<code>";
  for (const char c : printable(one_line))
    code += is_plain(c) ? std::string(1, c) : fmt::format("&#{};", int{c});
  if (text.size() > most_bytes) code += "...";
  return code + "</code>";
}

}  // namespace kgrade
