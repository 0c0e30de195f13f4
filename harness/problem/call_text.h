// Splits text in the form of a call, as in `init` and `compare`: name(argument, argument).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kgrade {

// The parts of such a text, as views of it. `inside` is empty without parentheses.
struct CallText {
  std::string_view name;
  bool parentheses = false;
  std::string_view inside;

  // The text between commas, without white space around it. Commas within parentheses do not separate.
  std::vector<std::string_view> arguments() const;
};

// Splits `text`. Nothing if a parenthesis is opened but not closed at the end.
std::optional<CallText> split_call(std::string_view text);

}  // namespace kgrade
