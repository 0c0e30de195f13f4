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

}  // namespace kgrade::emulated
