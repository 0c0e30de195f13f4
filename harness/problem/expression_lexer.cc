#include "problem/expression_lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/characters.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

bool is_name_start(char c) { return is_letter(c) || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

// Two-character operators first: the longest match counts.
constexpr std::array<std::string_view, 19> symbols = {"==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-",
                                                      "*",  "/",  "%",  "!",  "(",  ")",  ",", "&", "|"};

struct Slip {
  std::string_view text;
  std::string_view remedy;
};

// What people write by habit from other languages.
constexpr std::array<Slip, 8> slips = {{
    {"**", "there is no power: multiply instead, as in n * n"},
    {"//", "write /: division rounds down already"},
    {"<<", "there are no shifts: multiply instead"},
    {">>", "there are no shifts: divide instead"},
    {"^", "there is no power: multiply instead, as in n * n"},
    {"=", "write == to compare"},
    {"?", "there is no conditional: use min, max or a comparison, which yields 0 or 1"},
    {".", "names hold letters, digits and underscores only"},
}};

class Lexer {
 public:
  Lexer(std::string_view text, const Location& start)
      : text_(text), file_(start.file), at_{start.line, start.column} {}

  Result<std::vector<ExpressionToken>> run() {
    for (skip_spaces(); offset_ < text_.size() && !error_; skip_spaces()) read_token();
    if (error_) return *error_;
    tokens_.push_back({ExpressionToken::Kind::end, {}, 0, at_});
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
      read_integer();
    } else if (is_name_start(c)) {
      push(ExpressionToken::Kind::name, length_while(is_name_part), 0);
    } else {
      read_symbol();
    }
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
    push(ExpressionToken::Kind::integer, length, value);
  }

  void read_symbol() {
    const std::string_view rest = text_.substr(offset_);
    for (const Slip& slip : slips) {
      const bool comparison = rest.substr(0, 2) == "==";
      if (!comparison && rest.starts_with(slip.text)) {
        return fail(fmt::format("'{}' is no operator here", slip.text), std::string(slip.remedy));
      }
    }
    for (const std::string_view symbol : symbols) {
      if (!rest.starts_with(symbol)) continue;
      if (symbol == "&" || symbol == "|") {
        return fail(fmt::format("'{}' is no operator here", symbol), fmt::format("write {0}{0}", symbol));
      }
      return push(ExpressionToken::Kind::symbol, symbol.size(), 0);
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

  void push(ExpressionToken::Kind kind, std::size_t length, std::int64_t value) {
    tokens_.push_back({kind, text_.substr(offset_, length), value, at_});
    offset_ += length;
    at_.column += static_cast<int>(length);
  }

  void fail(std::string message, std::string remedy) {
    error_ = Error{std::move(message), std::move(remedy), {file_, at_.line, at_.column}};
  }

  std::string_view text_;
  std::string file_;
  Position at_;
  std::size_t offset_ = 0;
  std::vector<ExpressionToken> tokens_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<ExpressionToken>> tokenize_expression(std::string_view text, const Location& start) {
  return Lexer(text, start).run();
}

}  // namespace kgrade
