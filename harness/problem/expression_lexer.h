// Splits the text of an expression into tokens; internal to spec.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/expression_node.h"

namespace kgrade {

struct ExpressionToken {
  enum class Kind { integer, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  // of the source; empty at the end
  std::int64_t value = 0;
  Position at;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

// The tokens with one of kind `end` last. `start` is the place of the first character; `text` must outlive
// the tokens. An Error for a character or number that no expression holds.
Result<std::vector<ExpressionToken>> tokenize_expression(std::string_view text, const Location& start);

}  // namespace kgrade
