#include "device/emulated/rewriter/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kgrade::emulated {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}

bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

constexpr std::array<std::string_view, 5> raw_string_prefixes = {"R", "u8R", "uR", "UR", "LR"};
constexpr std::array<std::string_view, 4> literal_prefixes = {"u8", "u", "U", "L"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  LexedSource run() {
    while (skip_space()) {
      if (peek() == '#' && at_line_start_ && directive_ < 0) {
        begin_directive();
      } else {
        next_token();
      }
    }
    end_directive();
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool at_end() const { return position_ >= text_.size(); }
  bool at(std::string_view word) const { return text_.substr(position_, word.size()) == word; }

  void advance(std::size_t count = 1) {
    for (; count > 0 && !at_end(); --count) {
      if (text_[position_] == '\n') ++line_;
      ++position_;
    }
  }

  // The length of a backslash with its newline at the position; 0 when there is none.
  std::size_t continuation() const {
    if (peek() != '\\') return 0;
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  // Moves to the next token; false at the end of the text.
  bool skip_space() {
    while (!at_end()) {
      if (const std::size_t length = continuation(); length > 0) {
        advance(length);
      } else if (peek() == '\n') {
        end_directive();
        advance();
        at_line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        advance();
      } else if (at("//")) {
        while (!at_end() && peek() != '\n') advance(std::max<std::size_t>(continuation(), 1));
      } else if (at("/*")) {
        const std::size_t close = text_.find("*/", position_ + 2);
        advance((close == std::string_view::npos ? text_.size() : close + 2) - position_);
      } else {
        return true;
      }
    }
    return false;
  }

  void begin_directive() {
    Directive directive;
    directive.begin = position_;
    directive.line = line_;
    directive_ = static_cast<int>(result_.directives.size());
    result_.directives.push_back(directive);
    advance();
    at_line_start_ = false;
    skip_blanks();
    const std::size_t begin = position_;
    while (continues_identifier(peek())) advance();
    Directive& current = result_.directives.back();
    current.name = text_.substr(begin, position_ - begin);
    current.first_token = result_.tokens.size();
    if (current.name == "endif") depth_ = std::max(0, depth_ - 1);
    current.depth = depth_;
    if (current.name.starts_with("if")) ++depth_;
  }

  void skip_blanks() {
    for (;;) {
      if (const std::size_t length = continuation(); length > 0) {
        advance(length);
      } else if (peek() == ' ' || peek() == '\t') {
        advance();
      } else {
        return;
      }
    }
  }

  void end_directive() {
    if (directive_ < 0) return;
    Directive& current = result_.directives.back();
    current.end = position_;
    current.end_token = result_.tokens.size();
    directive_ = -1;
  }

  void next_token() {
    at_line_start_ = false;
    const std::size_t begin = position_;
    const int line = line_;
    const TokenKind kind = scan();
    result_.tokens.push_back({kind, text_.substr(begin, position_ - begin), begin, line, directive_});
    result_.depth.push_back(depth_);
  }

  TokenKind scan() {
    const char c = peek();
    if (starts_identifier(c)) return scan_word();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0)) {
      return scan_number();
    }
    if (c == '"' || c == '\'') return scan_quoted();
    return scan_punctuation();
  }

  TokenKind scan_word() {
    const std::size_t begin = position_;
    while (continues_identifier(peek())) advance();
    const std::string_view word = text_.substr(begin, position_ - begin);
    const auto is_in = [word](const auto& words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (peek() == '"' && is_in(raw_string_prefixes)) return scan_raw_string();
    if ((peek() == '"' || peek() == '\'') && is_in(literal_prefixes)) return scan_quoted();
    return TokenKind::identifier;
  }

  TokenKind scan_number() {
    for (;;) {
      const char c = peek();
      if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') && (peek(1) == '+' || peek(1) == '-')) {
        advance(2);
      } else if (continues_identifier(c) || c == '.' || (c == '\'' && continues_identifier(peek(1)))) {
        advance();
      } else {
        return TokenKind::number;
      }
    }
  }

  // A literal ends with its line when its quote is missing.
  TokenKind scan_quoted() {
    const char quote = peek();
    advance();
    while (!at_end() && peek() != quote && peek() != '\n') {
      if (peek() == '\\')
        advance(std::max<std::size_t>(continuation(), 2));
      else
        advance();
    }
    if (peek() == quote) advance();
    return quote == '"' ? TokenKind::string : TokenKind::character;
  }

  // The delimiter of a raw string has 16 characters at most ([lex.string]).
  TokenKind scan_raw_string() {
    constexpr std::size_t longest_opening = 18;
    const std::size_t bracket = text_.substr(position_, longest_opening).find('(');
    if (bracket == std::string_view::npos) return scan_quoted();
    const std::size_t open = position_ + bracket;
    const std::string close = ")" + std::string(text_.substr(position_ + 1, open - position_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    advance((end == std::string_view::npos ? text_.size() : end + close.size()) - position_);
    return TokenKind::string;
  }

  TokenKind scan_punctuation() {
    constexpr std::array<std::string_view, 19> operators = {"...", "::", "->", "++", "--", "&&", "||",
                                                            "==",  "!=", "+=", "-=", "*=", "/=", "%=",
                                                            "&=",  "|=", "^=", "##", ".*"};
    for (const std::string_view text : operators) {
      if (at(text)) {
        advance(text.size());
        return TokenKind::punctuation;
      }
    }
    advance();
    return TokenKind::punctuation;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int directive_ = -1;
  bool at_line_start_ = true;
  LexedSource result_;
};

// The newlines of `replaced`, each with the backslash before it if it has one.
std::string newlines_of(std::string_view replaced) {
  std::string result;
  for (std::size_t i = 0; i < replaced.size(); ++i) {
    if (replaced[i] != '\n') continue;
    const bool after_return = i > 0 && replaced[i - 1] == '\r';
    const std::size_t before = i - (after_return ? 1 : 0);
    result += before > 0 && replaced[before - 1] == '\\' ? " \\\n" : "\n";
  }
  return result;
}

}  // namespace

LexedSource lex(std::string_view text) { return Lexer(text).run(); }

void Edits::replace(std::size_t begin, std::size_t end, std::string replacement) {
  edits_.push_back({begin, end, std::move(replacement)});
}

std::string Edits::apply(std::string_view text) const {
  std::vector<Edit> ordered = edits_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t position = 0;
  for (const Edit& edit : ordered) {
    if (edit.begin < position) continue;
    result += text.substr(position, edit.begin - position);
    result += edit.replacement;
    result += newlines_of(text.substr(edit.begin, edit.end - edit.begin));
    position = edit.end;
  }
  result += text.substr(position);
  return result;
}

std::string string_literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace kgrade::emulated
