#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.h"
#include "problem/expression_lexer.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

using Node = Expression::Node;
using NodePointer = std::unique_ptr<Node>;
using Token = ExpressionToken;

constexpr std::size_t longest_text = 10'000;
constexpr int deepest_nesting = 100;

struct OperatorName {
  std::string_view symbol;
  BinaryOperator operation;
};

constexpr std::array<OperatorName, 2> sum_operators = {
    {{"+", BinaryOperator::add}, {"-", BinaryOperator::subtract}}};
constexpr std::array<OperatorName, 3> product_operators = {
    {{"*", BinaryOperator::multiply}, {"/", BinaryOperator::divide}, {"%", BinaryOperator::remainder}}};
constexpr std::array<OperatorName, 6> comparison_operators = {{{"==", BinaryOperator::equal},
                                                               {"!=", BinaryOperator::unequal},
                                                               {"<", BinaryOperator::less},
                                                               {"<=", BinaryOperator::less_equal},
                                                               {">", BinaryOperator::greater},
                                                               {">=", BinaryOperator::greater_equal}}};

std::optional<BinaryOperator> find_operator(const Token& token, std::span<const OperatorName> among) {
  for (const OperatorName& entry : among) {
    if (token.is(entry.symbol)) return entry.operation;
  }
  return std::nullopt;
}

NodePointer make_node(Node::Kind kind, Position at) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->at = at;
  return node;
}

// Each member reads one rule of the grammar in the header; a null pointer means that error_ is set.
class Parser {
 public:
  Parser(const std::vector<Token>& tokens, std::string file) : tokens_(tokens), file_(std::move(file)) {}

  NodePointer parse() {
    NodePointer root = parse_or();
    if (root && peek().kind != Token::Kind::end) return unexpected();
    return root;
  }

  const Error& error() const { return *error_; }

 private:
  using Rule = NodePointer (Parser::*)();

  NodePointer parse_or() { return parse_logical("||", Node::Kind::any_of, &Parser::parse_and); }
  NodePointer parse_and() { return parse_logical("&&", Node::Kind::all_of, &Parser::parse_compare); }

  NodePointer parse_logical(std::string_view symbol, Node::Kind kind, Rule operand) {
    NodePointer first = (this->*operand)();
    if (!first || !peek().is(symbol)) return first;
    NodePointer node = make_node(kind, first->at);
    node->operands.push_back(std::move(first));
    while (peek().is(symbol)) {
      take();
      NodePointer next = (this->*operand)();
      if (!next) return nullptr;
      node->operands.push_back(std::move(next));
    }
    return node;
  }

  NodePointer parse_compare() {
    NodePointer node = parse_chain(comparison_operators, &Parser::parse_sum);
    if (node && node->kind == Node::Kind::chain && node->steps.size() > 1 && is_comparison(*node)) {
      return fail(node->steps[1].at, "comparisons do not chain", "write a < b && b < c");
    }
    return node;
  }

  static bool is_comparison(const Node& node) {
    return std::any_of(comparison_operators.begin(), comparison_operators.end(),
                       [&](const OperatorName& entry) { return entry.operation == node.steps[0].operation; });
  }

  NodePointer parse_sum() { return parse_chain(sum_operators, &Parser::parse_product); }
  NodePointer parse_product() { return parse_chain(product_operators, &Parser::parse_unary); }

  NodePointer parse_chain(std::span<const OperatorName> operators, Rule operand) {
    NodePointer first = (this->*operand)();
    if (!first || !find_operator(peek(), operators)) return first;
    NodePointer node = make_node(Node::Kind::chain, first->at);
    node->operands.push_back(std::move(first));
    while (const auto operation = find_operator(peek(), operators)) {
      node->steps.push_back({*operation, take().at});
      NodePointer next = (this->*operand)();
      if (!next) return nullptr;
      node->operands.push_back(std::move(next));
    }
    return node;
  }

  NodePointer parse_unary() {
    if (!peek().is("-") && !peek().is("!")) return parse_primary();
    const Token& sign = take();
    if (!enter(sign)) return nullptr;
    NodePointer operand = parse_unary();
    --depth_;
    if (!operand) return nullptr;
    NodePointer node = make_node(sign.is("-") ? Node::Kind::negate : Node::Kind::invert, sign.at);
    node->operands.push_back(std::move(operand));
    return node;
  }

  NodePointer parse_primary() {
    const Token& token = peek();
    if (token.kind == Token::Kind::integer) {
      NodePointer node = make_node(Node::Kind::integer, take().at);
      node->value = token.value;
      return node;
    }
    if (token.kind == Token::Kind::name) return parse_name();
    if (!token.is("(")) return unexpected();
    take();
    if (!enter(token)) return nullptr;
    NodePointer node = parse_or();
    --depth_;
    if (!node || !close(token)) return nullptr;
    return node;
  }

  NodePointer parse_name() {
    const Token& name = take();
    const bool call = peek().is("(");
    NodePointer node = make_node(call ? Node::Kind::call : Node::Kind::name, name.at);
    node->name = std::string(name.text);
    if (!call) return node;
    const Token& parenthesis = take();
    if (!enter(parenthesis)) return nullptr;
    for (bool more = true; more;) {
      NodePointer argument = parse_or();
      if (!argument) return nullptr;
      node->operands.push_back(std::move(argument));
      more = peek().is(",");
      if (more) take();
    }
    --depth_;
    if (!close(parenthesis)) return nullptr;
    return check_call(std::move(node));
  }

  NodePointer check_call(NodePointer node) {
    const bool extreme = node->name == "min" || node->name == "max";
    if (!extreme && node->name != "ceil_div") {
      return fail(node->at, fmt::format("there is no function {}", in_quotes(node->name)),
                  suggestion(node->name, {"min", "max", "ceil_div"}) +
                      "functions are min(a, b, ...), max(a, b, ...) and ceil_div(a, b)");
    }
    if (extreme ? node->operands.size() >= 2 : node->operands.size() == 2) return node;
    return fail(
        node->at, fmt::format("'{}' has {}", node->name, counted(node->operands.size(), "argument")),
        extreme ? fmt::format("write {}(a, b) with two or more", node->name) : "write ceil_div(a, b)");
  }

  bool enter(const Token& token) {
    if (++depth_ <= deepest_nesting) return true;
    fail(token.at, fmt::format("nested deeper than {} levels", deepest_nesting),
         "name a part of it under `let`");
    return false;
  }

  bool close(const Token& opening) {
    if (peek().is(")")) {
      take();
      return true;
    }
    if (peek().kind == Token::Kind::end) {
      fail(opening.at, "this parenthesis is not closed",
           "write ')'; inside [...] or {...}, put an expression with commas into quotes");
    } else {
      unexpected();
    }
    return false;
  }

  NodePointer unexpected() {
    const Token& token = peek();
    if (token.kind == Token::Kind::end) {
      return fail(token.at, "the expression ends too early", "write an integer, a name or '(' here");
    }
    return fail(token.at, fmt::format("{} is not expected here", in_quotes(token.text)),
                token.is(")") ? "remove it, or open the parenthesis before it"
                              : "put an operator between two values, and one value after each operator");
  }

  NodePointer fail(Position at, std::string message, std::string remedy) {
    if (!error_) error_ = Error{std::move(message), std::move(remedy), {file_, at.line, at.column}};
    return nullptr;
  }

  const Token& peek() const { return tokens_[next_]; }
  // The last token, `end`, is never passed.
  const Token& take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }

  const std::vector<Token>& tokens_;
  std::string file_;
  std::size_t next_ = 0;
  int depth_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Expression> Expression::parse(std::string_view text, const Location& location) {
  if (text.size() > longest_text) {
    return Error{fmt::format("an expression of {} characters; {} is the limit", text.size(), longest_text),
                 "name parts of it under `let`", location};
  }
  const auto tokens = tokenize_expression(text, location);
  if (!tokens) return tokens.errors();
  if (tokens->size() == 1) {
    return Error{"the expression is empty", "write an integer, a name or a formula", location};
  }
  Parser parser(*tokens, location.file);
  NodePointer root = parser.parse();
  if (!root) return parser.error();
  Expression expression;
  const Token& first = tokens->front();
  const Token& last = (*tokens)[tokens->size() - 2];
  expression.text_ = std::string(first.text.data(), last.text.data() + last.text.size());
  std::replace(expression.text_.begin(), expression.text_.end(), '\n', ' ');
  expression.location_ = {location.file, first.at.line, first.at.column};
  expression.root_ = std::move(root);
  return expression;
}

}  // namespace kgrade
