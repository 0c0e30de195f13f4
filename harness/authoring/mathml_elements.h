// The pieces that MathML is put together from; internal to authoring. Texts come back escaped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kgrade::authoring {

// <name>content</name>; `content` is markup.
std::string element(std::string_view name, const std::string& content);
std::string group_of(const std::string& row);

// A command that is not known, as it is written.
std::string unknown(std::string_view source);
std::string space(std::string_view width);
// <mtext>, white space at the ends kept.
std::string text_element(std::string_view text);
// A bracket that grows with what it holds; nothing for an empty one.
std::string fence(std::string_view text, std::string_view form);

// The escapes that text has in common with mathematics undone: \_ \% \& \# \$ \{ \}.
std::string unescaped(std::string_view text);

// Whether a bracket begins with this token.
bool is_opening(std::string_view token);
// The height that \big, \Bigl and the like give the bracket behind them; nothing for other commands.
std::optional<std::string_view> bracket_size(std::string_view command);

// What stands between \begin and \end: always rows of cells.
struct MathEnvironment {
  std::string_view name;
  std::string_view attributes;  // of <mtable>
  std::string_view open;
  std::string_view close;
  bool has_columns = false;  // {lcr} follows the name
};
const MathEnvironment* find_math_environment(std::string_view name);

}  // namespace kgrade::authoring
