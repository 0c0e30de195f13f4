// The tree behind an Expression, and the parser that builds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problem/expression.h"

namespace kgrade {

inline constexpr std::size_t longest_expression = 10'000;  // characters

struct Position {
  int line = 0;
  int column = 0;
};

enum class BinaryOperator {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal
};

// A chain of operators of one level becomes a single node with many operands. So the depth of the tree is
// bounded by the nesting that the author wrote, not by the length of the text.
struct Expression::Node {
  enum class Kind {
    integer,  // value
    real,     // number
    name,     // name
    negate,   // operands[0]
    invert,   // operands[0]
    chain,    // operands[0] steps[0] operands[1] steps[1] ..., from left to right
    all_of,   // && of all operands
    any_of,   // || of all operands
    call      // name(operands...)
  };
  struct Step {
    BinaryOperator operation;
    Position at;
  };

  Kind kind = Kind::integer;
  Position at;
  std::int64_t value = 0;
  double number = 0;
  std::string name;
  std::vector<std::unique_ptr<Node>> operands;
  std::vector<Step> steps;
};

struct ParsedExpression {
  std::shared_ptr<const Expression::Node> root;
  std::string text;   // as written, see Expression::text()
  Location location;  // of its first character
};

// `location` is where `text` begins. `decimals`: decimal numbers are allowed. Errors: see
// Expression::parse().
Result<ParsedExpression> parse_expression(std::string_view text, const Location& location, bool decimals);

}  // namespace kgrade
