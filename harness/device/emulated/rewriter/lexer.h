// Splits CUDA C++ source into tokens that know where they stand. Comments and white space are no tokens; a
// literal is one token, whatever it holds.
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
  int directive = -1;  // index of the preprocessor directive that it is part of; -1 for code

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
  int depth = 0;  // of #if around it
};

struct LexedSource {
  std::vector<Token> tokens;
  std::vector<Directive> directives;
  std::vector<int> depth;  // of #if around each token
};

// Never fails: what is no token of C++ (an unfinished literal, a stray byte) becomes punctuation or ends with
// its line, and the compiler says what is wrong with it. The two characters << and >> stay apart, so that
// nested template argument lists can be matched; every other operator of more than one character that holds
// no angle bracket is one token (:: and -> too). `text` must outlive the result.
LexedSource lex(std::string_view text);

}  // namespace kgrade::emulated
