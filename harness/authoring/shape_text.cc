#include "authoring/shape_text.h"

#include <algorithm>

#include "authoring/extent_parser.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t longest_shape = 2000;

// Spaces and what only makes brackets larger.
std::string simplified(std::string_view text) {
  std::string plain(text);
  for (const std::string_view dropped :
       {"\\,", "\\;", "\\!", "\\:", "\\ ", "~", "\\quad", "\\left", "\\right", "\\bigl", "\\bigr", "\\Bigl",
        "\\Bigr", "\\big", "\\displaystyle"}) {
    // "\leftarrow" and the like are no shapes, and stay unknown.
    plain = replace_all(plain, dropped, " ");
  }
  plain = replace_all(plain, "\u00d7", "\\times ");
  plain = replace_all(plain, "\u22c5", "\\cdot ");
  plain = replace_all(plain, "\u00b7", "\\cdot ");
  plain = replace_all(plain, "\\_", "_");
  return replace_all(plain, "\n", " ");
}

// The parts between separators that stand in no brackets.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + separator.size();
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// The text inside one pair of brackets around all of it.
std::optional<std::string_view> unwrapped(std::string_view text) {
  if (text.size() < 2 ||
      !((text.front() == '(' && text.back() == ')') || (text.front() == '[' && text.back() == ']')))
    return std::nullopt;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == text.front()) ++depth;
    if (text[i] == text.back() && --depth == 0) return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

}  // namespace

bool Symbol::has_subscript(std::string_view text) const {
  return std::find(subscripts.begin(), subscripts.end(), text) != subscripts.end();
}

std::string Symbol::text() const {
  std::string text = base;
  for (const std::string& subscript : subscripts) text += "_" + subscript;
  return text;
}

std::vector<Symbol> SymbolicExtent::symbols() const {
  std::vector<Symbol> found;
  for (const Piece& piece : pieces) {
    if (piece.symbol) found.push_back(*piece.symbol);
  }
  return found;
}

const Symbol* SymbolicExtent::lone_symbol() const {
  return pieces.size() == 1 && pieces[0].symbol ? &*pieces[0].symbol : nullptr;
}

std::optional<SymbolicShape> parse_shape(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > longest_shape) return std::nullopt;
  const std::string plain = simplified(text);
  std::string_view inside = trimmed(plain);
  SymbolicShape shape;
  while (const auto within = unwrapped(inside)) {
    inside = trimmed(*within);
    shape.tuple = true;
  }
  std::vector<std::string_view> parts = split(inside, ",");
  if (parts.size() == 1) parts = split(inside, "\\times");
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // (N,)
  shape.tuple = shape.tuple || parts.size() > 1;
  for (const std::string_view part : parts) {
    auto extent = ExtentParser(part, names).whole();
    if (!extent || shape.extents.size() >= 16) return std::nullopt;
    shape.extents.push_back(*std::move(extent));
  }
  return shape;
}

std::optional<SymbolicExtent> parse_extent(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > longest_shape) return std::nullopt;
  const std::string plain = simplified(text);
  return ExtentParser(trimmed(plain), names).whole();
}

}  // namespace kgrade::authoring
