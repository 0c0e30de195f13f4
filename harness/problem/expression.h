// Exact 64-bit integer expressions over named values, as `let`, `require`, `shape` and `flops` contain them.
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
// Overflow and division by zero are errors. A condition may also contain decimal numbers and names of real
// values. holds() then computes in doubles: "/" does not round, and "%", ceil_div and log2 do not exist.
// Comparisons, "!", "&&" and "||" yield 0 or 1. "&&" and "||" do not evaluate their right side if the left
// side decides. Integers are decimal and at most 2^63 - 1.
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
  // Only parse_condition() accepts decimal numbers, as in 0.5.
  static Result<Expression> parse(std::string_view text, const Location& location);
  static Result<Expression> parse_condition(std::string_view text, const Location& location);

  // Errors: a name that is not in `bindings` (the message suggests the nearest), overflow, division by zero.
  Result<std::int64_t> evaluate(const Bindings& bindings) const;
  // Whether a condition holds. It is computed in integers if it names no real value and has no decimal
  // number.
  Result<bool> holds(const Bindings& bindings, const Reals& reals) const;

  // Every name that occurs, once, in order of appearance, without functions.
  std::vector<std::string> names() const;

  // An occurrence of a name, with its place.
  struct NameUse {
    std::string name;
    Location location;
  };
  std::vector<NameUse> name_uses() const;

  // An equality that must hold for the whole expression to hold. `a == b && c == 3` has two. `left` is a
  // name, `right` another name or a number.
  struct Equality {
    std::string left;
    std::variant<std::string, std::int64_t> right;
  };
  std::vector<Equality> equalities() const;

  // The text as written, without white space around it and with spaces in the place of line breaks.
  const std::string& text() const { return text_; }
  // The place of the text's first character that is not white space.
  const Location& location() const { return location_; }

 private:
  static Result<Expression> parse(std::string_view text, const Location& location, bool decimals);

  std::string text_;
  Location location_;
  std::shared_ptr<const Node> root_;
};

}  // namespace kgrade
