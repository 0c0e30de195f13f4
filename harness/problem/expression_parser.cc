#include "problem/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "base/text.h"
#include "problem/diagnostics.h"

namespace kgrade {
namespace {

using Node = Expression::Node;
using NodePointer = std::unique_ptr<Node>;

constexpr int deepest_nesting = 100;

struct Token {
  enum class Kind { integer, real, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  // a piece of the source; empty for the kind `end`
  std::int64_t value = 0;
  double number = 0;
  Position at;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

bool is_name_start(char c) { return is_letter(c) || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

// Two-character operators first: the longest match counts.
constexpr std::array<std::string_view, 19> symbols = {"==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-",
                                                      "*",  "/",  "%",  "!",  "(",  ")",  ",", "&", "|"};

struct ForeignOperator {
  std::string_view text;
  std::string_view remedy;
};

// Operators that people write by habit from other languages.
constexpr std::array<ForeignOperator, 8> foreign_operators = {{
    {"**", "there is no power: multiply instead, as in n * n"},
    {"//", "write /: division rounds down already"},
    {"<<", "there are no shifts: multiply instead"},
    {">>", "there are no shifts: divide instead"},
    {"^", "there is no power: multiply instead, as in n * n"},
    {"=", "write == to compare"},
    {"?", "there is no conditional: use min, max or a comparison, which yields 0 or 1"},
    {".", "names hold letters, digits and underscores only"},
}};

// Splits the text into tokens. The text must outlive them.
class Lexer {
 public:
  Lexer(std::string_view text, const Location& start, bool decimals)
      : text_(text), file_(start.file), decimals_(decimals), at_{start.line, start.column} {}

  // Returns the tokens, then one token of kind `end`. Returns an Error for a character or number that is not
  // allowed.
  Result<std::vector<Token>> run() {
    for (skip_spaces(); offset_ < text_.size() && !error_; skip_spaces()) read_token();
    if (error_) return *error_;
    tokens_.push_back({Token::Kind::end, {}, 0, 0, at_});
    return std::move(tokens_);
  }

 private:
  void skip_spaces() {
    for (; offset_ < text_.size() && is_space(text_[offset_]); ++offset_) {
      if (text_[offset_] == '\n') {
        at_ = {at_.line + 1, 1};
      } else {
        ++at_.column;
      }
    }
  }

  void read_token() {
    const char c = text_[offset_];
    if (is_digit(c)) {
      read_number();
    } else if (is_name_start(c)) {
      push(Token::Kind::name, length_while(is_name_part), 0);
    } else {
      read_symbol();
    }
  }

  // The length includes an exponent and its sign, as in 1e-5.
  std::size_t length_of_real() const {
    const std::string_view rest = text_.substr(offset_);
    double number = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return status == std::errc() ? static_cast<std::size_t>(end - rest.data()) : 0;
  }

  void read_number() {
    const std::size_t length = length_of_real();
    const std::string_view digits = text_.substr(offset_, length);
    const bool is_whole = digits.find_first_not_of("0123456789") == digits.npos;
    const bool ends = offset_ + length == text_.size() || !is_name_part(text_[offset_ + length]);
    if (!decimals_ || length == 0 || is_whole || !ends) return read_integer();
    double number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    push(Token::Kind::real, length, 0, number);
  }

  void read_integer() {
    const std::size_t length = length_while([](char c) { return is_name_part(c) || c == '.'; });
    const std::string_view digits = text_.substr(offset_, length);
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() && status != std::errc::result_out_of_range) {
      return fail(fmt::format("{} is no integer", in_quotes(digits)), "write a decimal integer, as in 16");
    }
    if (status != std::errc()) {
      return fail(fmt::format("{} does not fit into 64 bits", in_quotes(digits)),
                  "write an integer of at most 9223372036854775807");
    }
    push(Token::Kind::integer, length, value);
  }

  void read_symbol() {
    const std::string_view rest = text_.substr(offset_);
    for (const ForeignOperator& foreign : foreign_operators) {
      const bool comparison = rest.substr(0, 2) == "==";
      if (!comparison && rest.starts_with(foreign.text)) {
        return fail(fmt::format("'{}' is no operator here", foreign.text), std::string(foreign.remedy));
      }
    }
    for (const std::string_view symbol : symbols) {
      if (!rest.starts_with(symbol)) continue;
      if (symbol == "&" || symbol == "|") {
        return fail(fmt::format("'{}' is no operator here", symbol), fmt::format("write {0}{0}", symbol));
      }
      return push(Token::Kind::symbol, symbol.size(), 0);
    }
    const std::size_t length = utf8_length(rest.front());
    fail(fmt::format("{} cannot stand in an expression", in_quotes(rest.substr(0, length))),
         "use integers, names, + - * / % == != < <= > >= && || ! and parentheses");
  }

  // An error names a whole character, not one byte of it.
  static std::size_t utf8_length(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }

  template <class Predicate>
  std::size_t length_while(Predicate accepts) const {
    std::size_t end = offset_;
    while (end < text_.size() && accepts(text_[end])) ++end;
    return end - offset_;
  }

  void push(Token::Kind kind, std::size_t length, std::int64_t value, double number = 0) {
    tokens_.push_back({kind, text_.substr(offset_, length), value, number, at_});
    offset_ += length;
    at_.column += static_cast<int>(length);
  }

  void fail(std::string message, std::string remedy) {
    error_ = Error{std::move(message), std::move(remedy), {file_, at_.line, at_.column}};
  }

  std::string_view text_;
  std::string file_;
  bool decimals_;
  Position at_;
  std::size_t offset_ = 0;
  std::vector<Token> tokens_;
  std::optional<Error> error_;
};

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

// Each member reads one rule of the grammar in expression.h. It returns null if it has set error_.
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
    if (token.kind == Token::Kind::real) {
      NodePointer node = make_node(Node::Kind::real, take().at);
      node->number = token.number;
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
    const bool logarithm = node->name == "log2";
    if (!extreme && !logarithm && node->name != "ceil_div") {
      return fail(node->at, fmt::format("there is no function {}", in_quotes(node->name)),
                  suggestion(node->name, {"min", "max", "ceil_div", "log2"}) +
                      "functions are min(a, b, ...), max(a, b, ...), ceil_div(a, b) and log2(a)");
    }
    const std::size_t operands = node->operands.size();
    if (extreme ? operands >= 2 : operands == (logarithm ? 1U : 2U)) return node;
    return fail(node->at, fmt::format("'{}' has {}", node->name, counted(operands, "argument")),
                extreme     ? fmt::format("write {}(a, b) with two or more", node->name)
                : logarithm ? "write log2(a)"
                            : "write ceil_div(a, b)");
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

Result<ParsedExpression> parse_expression(std::string_view text, const Location& location, bool decimals) {
  if (text.size() > longest_expression) {
    return Error{
        fmt::format("an expression of {} characters; {} is the limit", text.size(), longest_expression),
        "name parts of it under `let`", location};
  }
  const auto tokens = Lexer(text, location, decimals).run();
  if (!tokens) return tokens.errors();
  if (tokens->size() == 1) {
    return Error{"the expression is empty", "write an integer, a name or a formula", location};
  }
  Parser parser(*tokens, location.file);
  NodePointer root = parser.parse();
  if (!root) return parser.error();
  const Token& first = tokens->front();
  const Token& last = (*tokens)[tokens->size() - 2];
  ParsedExpression parsed;
  parsed.root = std::move(root);
  parsed.text = std::string(first.text.data(), last.text.data() + last.text.size());
  std::replace(parsed.text.begin(), parsed.text.end(), '\n', ' ');
  parsed.location = {location.file, first.at.line, first.at.column};
  return parsed;
}

}  // namespace kgrade
