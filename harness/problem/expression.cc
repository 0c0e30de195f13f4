#include "problem/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "problem/diagnostics.h"
#include "problem/expression_parser.h"

namespace kgrade {
namespace {

using Node = Expression::Node;
using Value = std::optional<std::int64_t>;  // empty: it does not fit into 64 bits

std::string_view symbol_of(BinaryOperator operation) {
  switch (operation) {
    case BinaryOperator::add:
      return "+";
    case BinaryOperator::subtract:
      return "-";
    case BinaryOperator::multiply:
      return "*";
    case BinaryOperator::divide:
      return "/";
    case BinaryOperator::remainder:
      return "%";
    case BinaryOperator::equal:
      return "==";
    case BinaryOperator::unequal:
      return "!=";
    case BinaryOperator::less:
      return "<";
    case BinaryOperator::less_equal:
      return "<=";
    case BinaryOperator::greater:
      return ">";
    case BinaryOperator::greater_equal:
      return ">=";
  }
  return "?";
}

// The divisor `b` must not be zero. The remainder of the smallest integer by -1 is 0, but the processor's
// division instruction traps on it.
std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

bool floor_divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return false;
  result = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  return true;
}

template <class Number>
bool compare(BinaryOperator operation, Number a, Number b) {
  switch (operation) {
    case BinaryOperator::equal:
      return a == b;
    case BinaryOperator::unequal:
      return a != b;
    case BinaryOperator::less:
      return a < b;
    case BinaryOperator::less_equal:
      return a <= b;
    case BinaryOperator::greater:
      return a > b;
    default:
      return a >= b;
  }
}

// False when the result does not fit into 64 bits. For a division or a remainder, `b` must not be zero.
bool apply(BinaryOperator operation, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (operation) {
    case BinaryOperator::add:
      return !__builtin_add_overflow(a, b, &result);
    case BinaryOperator::subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case BinaryOperator::multiply:
      return !__builtin_mul_overflow(a, b, &result);
    case BinaryOperator::divide:
      return floor_divide(a, b, result);
    case BinaryOperator::remainder:
      result = floor_remainder(a, b);
      return true;
    default:
      result = compare(operation, a, b) ? 1 : 0;
      return true;
  }
}

class Evaluator {
 public:
  Evaluator(const Bindings& bindings, const std::string& file) : bindings_(bindings), file_(file) {}

  // Empty on an error, which error() returns.
  Value evaluate(const Node& node) {
    switch (node.kind) {
      case Node::Kind::integer:
        return node.value;
      case Node::Kind::real:
        return fail(node.at, fmt::format("{} is no integer", node.number),
                    "write a decimal integer, as in 16");
      case Node::Kind::name:
        return look_up(node);
      case Node::Kind::negate:
        return negate(node);
      case Node::Kind::invert:
        return invert(node);
      case Node::Kind::chain:
        return chain(node);
      case Node::Kind::all_of:
        return decide(node, 0);
      case Node::Kind::any_of:
        return decide(node, 1);
      case Node::Kind::call:
        return call(node);
    }
    return std::nullopt;
  }

  const Error& error() const { return *error_; }

 private:
  Value look_up(const Node& node) {
    const auto found = bindings_.find(node.name);
    if (found != bindings_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, value] : bindings_) known.push_back(name);
    return fail(node.at, fmt::format("unknown name {}", in_quotes(node.name)),
                suggestion_of_known(node.name, known));
  }

  Value negate(const Node& node) {
    const Value operand = evaluate(*node.operands[0]);
    if (!operand) return operand;
    std::int64_t result = 0;
    if (!__builtin_sub_overflow(std::int64_t{0}, *operand, &result)) return result;
    return overflow(node.at, fmt::format("-({})", *operand));
  }

  Value invert(const Node& node) {
    const Value operand = evaluate(*node.operands[0]);
    if (!operand) return operand;
    return *operand == 0;
  }

  Value chain(const Node& node) {
    Value left = evaluate(*node.operands[0]);
    for (std::size_t i = 0; left && i < node.steps.size(); ++i) {
      const Value right = evaluate(*node.operands[i + 1]);
      if (!right) return right;
      left = combine(node.steps[i].operation, *left, *right, node.steps[i].at);
    }
    return left;
  }

  Value combine(BinaryOperator operation, std::int64_t left, std::int64_t right, Position at) {
    const bool division = operation == BinaryOperator::divide || operation == BinaryOperator::remainder;
    const std::string_view symbol = symbol_of(operation);
    if (division && right == 0) return division_by_zero(at, fmt::format("{} {} 0", left, symbol));
    std::int64_t result = 0;
    if (apply(operation, left, right, result)) return result;
    return overflow(at, fmt::format("{} {} {}", left, symbol, right));
  }

  // Yields `deciding` at the first operand with that truth value, and does not evaluate the operands after
  // it.
  Value decide(const Node& node, std::int64_t deciding) {
    for (const auto& operand : node.operands) {
      const Value value = evaluate(*operand);
      if (!value) return value;
      if ((*value != 0) == (deciding != 0)) return deciding;
    }
    return 1 - deciding;
  }

  Value call(const Node& node) {
    std::vector<std::int64_t> arguments;
    for (const auto& operand : node.operands) {
      const Value value = evaluate(*operand);
      if (!value) return value;
      arguments.push_back(*value);
    }
    if (node.name == "min") return *std::min_element(arguments.begin(), arguments.end());
    if (node.name == "max") return *std::max_element(arguments.begin(), arguments.end());
    if (node.name == "log2") return logarithm(node.at, arguments[0]);
    const std::string written = fmt::format("ceil_div({}, {})", arguments[0], arguments[1]);
    if (arguments[1] == 0) return division_by_zero(node.at, written);
    std::int64_t quotient = 0;
    if (!floor_divide(arguments[0], arguments[1], quotient)) return overflow(node.at, written);
    return quotient + (floor_remainder(arguments[0], arguments[1]) != 0 ? 1 : 0);
  }

  // The logarithm to base 2, rounded up: the levels of a binary tree with `value` leaves.
  Value logarithm(Position at, std::int64_t value) {
    if (value < 1) return fail(at, fmt::format("log2({}) does not exist", value), "rule out numbers below 1");
    return std::bit_width(static_cast<std::uint64_t>(value) - 1);
  }

  Value overflow(Position at, const std::string& what) {
    return fail(at, fmt::format("overflow: {} does not fit into 64 bits", what), "use smaller values");
  }

  Value division_by_zero(Position at, const std::string& what) {
    return fail(at, fmt::format("division by zero: {}", what), "rule out a divisor of 0");
  }

  Value fail(Position at, std::string message, std::string remedy) {
    error_ = Error{std::move(message), std::move(remedy), {file_, at.line, at.column}};
    return std::nullopt;
  }

  const Bindings& bindings_;
  const std::string& file_;
  std::optional<Error> error_;
};

// Evaluates a condition on real values in doubles. NaN, as from 0 / 0, satisfies only `!=`.
class RealEvaluator {
 public:
  RealEvaluator(const Bindings& bindings, const Reals& reals, const std::string& file)
      : bindings_(bindings), reals_(reals), file_(file) {}

  // Empty on an error, which error() returns.
  std::optional<double> evaluate(const Node& node) {
    std::vector<double> operands;
    for (const auto& operand : node.operands) {
      const auto value = evaluate(*operand);
      if (!value) return value;
      operands.push_back(*value);
    }
    const auto is_true = [](double value) { return value != 0; };
    switch (node.kind) {
      case Node::Kind::integer:
        return static_cast<double>(node.value);
      case Node::Kind::real:
        return node.number;
      case Node::Kind::name:
        return look_up(node);
      case Node::Kind::negate:
        return -operands[0];
      case Node::Kind::invert:
        return is_true(operands[0]) ? 0 : 1;
      case Node::Kind::chain:
        return chain(node, operands);
      case Node::Kind::all_of:
        return std::all_of(operands.begin(), operands.end(), is_true) ? 1 : 0;
      case Node::Kind::any_of:
        return std::any_of(operands.begin(), operands.end(), is_true) ? 1 : 0;
      case Node::Kind::call:
        if (node.name == "min") return *std::min_element(operands.begin(), operands.end());
        if (node.name == "max") return *std::max_element(operands.begin(), operands.end());
        return fail(node.at,
                    fmt::format("{} is of integers, and a real value is in the condition", node.name));
    }
    return std::nullopt;
  }

  const Error& error() const { return *error_; }

 private:
  std::optional<double> look_up(const Node& node) {
    if (const auto real = reals_.find(node.name); real != reals_.end()) return real->second;
    if (const auto integer = bindings_.find(node.name); integer != bindings_.end())
      return static_cast<double>(integer->second);
    return fail(node.at, fmt::format("unknown name {}", in_quotes(node.name)));
  }

  std::optional<double> chain(const Node& node, const std::vector<double>& operands) {
    double left = operands[0];
    for (std::size_t i = 0; i < node.steps.size(); ++i) {
      const auto& [operation, at] = node.steps[i];
      if (operation == BinaryOperator::remainder)
        return fail(at, "% is of integers, and a real value is in the condition");
      left = combine(operation, left, operands[i + 1]);
    }
    return left;
  }

  static double combine(BinaryOperator operation, double left, double right) {
    switch (operation) {
      case BinaryOperator::add:
        return left + right;
      case BinaryOperator::subtract:
        return left - right;
      case BinaryOperator::multiply:
        return left * right;
      case BinaryOperator::divide:
        return left / right;
      default:
        return compare(operation, left, right) ? 1 : 0;
    }
  }

  std::optional<double> fail(Position at, std::string message) {
    error_ = Error{std::move(message),
                   "write conditions on integers and on real values apart",
                   {file_, at.line, at.column}};
    return std::nullopt;
  }

  const Bindings& bindings_;
  const Reals& reals_;
  const std::string& file_;
  std::optional<Error> error_;
};

bool has_reals(const Node& node, const Reals& reals) {
  return node.kind == Node::Kind::real || (node.kind == Node::Kind::name && reals.contains(node.name)) ||
         std::any_of(node.operands.begin(), node.operands.end(),
                     [&](const auto& operand) { return has_reals(*operand, reals); });
}

void collect_names(const Node& node, const std::string& file, std::vector<Expression::NameUse>& uses) {
  if (node.kind == Node::Kind::name) uses.push_back({node.name, {file, node.at.line, node.at.column}});
  for (const auto& operand : node.operands) collect_names(*operand, file, uses);
}

void collect_equalities(const Node& node, std::vector<Expression::Equality>& equalities) {
  if (node.kind == Node::Kind::all_of) {
    for (const auto& operand : node.operands) collect_equalities(*operand, equalities);
  }
  const bool compares = node.kind == Node::Kind::chain && node.steps.size() == 1 &&
                        node.steps[0].operation == BinaryOperator::equal;
  if (!compares) return;
  const Node* left = node.operands[0].get();
  const Node* right = node.operands[1].get();
  if (left->kind != Node::Kind::name) std::swap(left, right);
  if (left->kind != Node::Kind::name) return;
  if (right->kind == Node::Kind::name) equalities.push_back({left->name, right->name});
  if (right->kind == Node::Kind::integer) equalities.push_back({left->name, right->value});
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text, const Location& location) {
  return parse(text, location, false);
}

Result<Expression> Expression::parse_condition(std::string_view text, const Location& location) {
  return parse(text, location, true);
}

Result<Expression> Expression::parse(std::string_view text, const Location& location, bool decimals) {
  auto parsed = parse_expression(text, location, decimals);
  if (!parsed) return parsed.errors();
  Expression expression;
  expression.text_ = std::move(parsed->text);
  expression.location_ = std::move(parsed->location);
  expression.root_ = std::move(parsed->root);
  return expression;
}

Result<bool> Expression::holds(const Bindings& bindings, const Reals& reals) const {
  if (!has_reals(*root_, reals)) {
    const auto value = evaluate(bindings);
    return value ? Result<bool>(*value != 0) : Result<bool>(value.errors());
  }
  RealEvaluator evaluator(bindings, reals, location_.file);
  const auto value = evaluator.evaluate(*root_);
  return value ? Result<bool>(*value != 0) : Result<bool>(evaluator.error());
}

Result<std::int64_t> Expression::evaluate(const Bindings& bindings) const {
  Evaluator evaluator(bindings, location_.file);
  const Value value = evaluator.evaluate(*root_);
  if (!value) return evaluator.error();
  return *value;
}

std::vector<Expression::NameUse> Expression::name_uses() const {
  std::vector<NameUse> uses;
  collect_names(*root_, location_.file, uses);
  return uses;
}

std::vector<Expression::Equality> Expression::equalities() const {
  std::vector<Equality> equalities;
  collect_equalities(*root_, equalities);
  return equalities;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const NameUse& use : name_uses()) {
    if (std::find(names.begin(), names.end(), use.name) == names.end()) names.push_back(use.name);
  }
  return names;
}

}  // namespace kgrade
