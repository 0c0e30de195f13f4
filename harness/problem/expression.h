// Exact 64-bit integer expressions over named values, as `let`, `require`, `shape` and `flops` hold them.
//
//   or      := and ("||" and)*            product := unary (("*" | "/" | "%") unary)*
//   and     := compare ("&&" compare)*    unary   := ("-" | "!") unary | primary
//   compare := sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)?
//   sum     := product (("+" | "-") product)*
//   primary := integer | name | name "(" or ("," or)* ")" | "(" or ")"
//
// Functions: min(a, b, ...), max(a, b, ...), ceil_div(a, b), and log2(a), the logarithm to base 2 rounded up
// to an integer. Division rounds towards minus infinity and the remainder has the sign of the divisor, so
// that the formulas for output extents hold for any operand (PyTorch's documentation writes them with floor).
// Overflow and division by zero are errors. A condition may hold decimal numbers and names of real values as
// well: holds() then computes all of it in doubles, where
// "%", ceil_div and log2 do not exist and / does not round.
// Comparisons and "!" yield 0 or 1, "&&" and "||" too; these two do not evaluate their right side when the
// left one decides. Integers are decimal and at most 2^63 - 1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace kgrade {

using Bindings = std::map<std::string, std::int64_t, std::less<>>;
using Reals = std::map<std::string, double, std::less<>>;

class Expression {
 public:
  struct Node;

  // `location` is where the text begins; errors point at the offending column in it.
  // Nesting deeper than 100 levels and texts longer than 10,000 characters are errors. The text may hold
  // line breaks: columns on its later lines count from 1.
  // Decimal numbers, as in 0.5, are for conditions.
  static Result<Expression> parse(std::string_view text, const Location& location);
  static Result<Expression> parse_condition(std::string_view text, const Location& location);

  // Errors: a name that `bindings` lacks (with the nearest one that it has), overflow, division by zero.
  Result<std::int64_t> evaluate(const Bindings& bindings) const;
  // Whether a condition holds: in integers where it names no real value and has no decimal number.
  Result<bool> holds(const Bindings& bindings, const Reals& reals) const;

  // Every name that occurs, each once, in order of appearance; functions are no names.
  std::vector<std::string> names() const;

  // Every occurrence of a name with its place.
  struct NameUse {
    std::string name;
    Location location;
  };
  std::vector<NameUse> name_uses() const;

  // What has to be equal for the expression to hold, as far as it says so plainly: of `a == b && c == 3`
  // both. `left` is a name, `right` another one or a number.
  struct Equality {
    std::string left;
    std::variant<std::string, std::int64_t> right;
  };
  std::vector<Equality> equalities() const;

  // As written, without white space around it and with line breaks turned into spaces.
  const std::string& text() const { return text_; }
  // Of the first character that is no white space.
  const Location& location() const { return location_; }

 private:
  static Result<Expression> parse(std::string_view text, const Location& location, bool decimals);

  std::string text_;
  Location location_;
  std::shared_ptr<const Node> root_;
};

}  // namespace kgrade
