// Text in the form of a call, as `init` and `compare` have it: name(argument, argument).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kgrade {

// Views of the text that was taken apart. `inside` is empty without parentheses.
struct CallText {
  std::string_view name;
  bool parentheses = false;
  std::string_view inside;

  // What stands between commas, without white space around it; commas within parentheses do not count.
  std::vector<std::string_view> arguments() const;
};

// Nothing where what is opened is not closed at the end.
std::optional<CallText> split_call(std::string_view text);

}  // namespace kgrade
