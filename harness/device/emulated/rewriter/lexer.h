// Splits CUDA C++ source into tokens with their positions. Comments and white space are not tokens. A literal
// is one token, whatever it holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade::emulated {

enum class TokenKind { identifier, number, string, character, punctuation };

struct Token {
  TokenKind kind = TokenKind::punctuation;
  std::string_view text;  // into the source
  std::size_t begin = 0;  // byte offset
  int line = 1;
  int directive = -1;  // index of the preprocessor directive around it; -1 for code

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view wanted) const { return text == wanted; }
  bool is_identifier() const { return kind == TokenKind::identifier; }
};

// A preprocessor line, continued lines included.
struct Directive {
  std::string_view name;  // "include", "define", ...; empty for a lone '#'
  std::size_t begin = 0;  // of the '#'
  std::size_t end = 0;    // of the last line, before its newline
  int line = 1;
  std::size_t first_token = 0;  // the tokens after the name: [first_token, end_token)
  std::size_t end_token = 0;
  int depth = 0;  // the number of #if around it
};

struct LexedSource {
  std::vector<Token> tokens;
  std::vector<Directive> directives;
  std::vector<int> depth;  // the number of #if around each token
};

// Never fails. Text that is not a C++ token (an unfinished literal, a stray byte) becomes punctuation or ends
// with its line, and the compiler reports the error. The two characters of << and >> are separate tokens, so
// that nested template argument lists can be matched. -> and every longer operator without an angle bracket
// (:: for example) are one token. `text` must outlive the result.
LexedSource lex(std::string_view text);

// Replacements in a text that leave every line where it was.
class Edits {
 public:
  // Replaces bytes [begin, end) with `replacement`, which holds no newline. Edits must not overlap. An edit
  // that begins inside another one is dropped.
  void replace(std::size_t begin, std::size_t end, std::string replacement);
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  bool empty() const { return edits_.empty(); }

  // Returns the edited text. The newlines of a replaced range follow its replacement. A continuation
  // (backslash, newline) stays a continuation.
  std::string apply(std::string_view text) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string replacement;
  };
  std::vector<Edit> edits_;
};

// The text as a string literal of C++, with its quotes.
std::string string_literal(const std::string& text);

}  // namespace kgrade::emulated
