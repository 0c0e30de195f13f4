#include <algorithm>

#include "device/emulated/rewriter/directives.h"
#include "device/emulated/rewriter/lexer.h"
#include "device/emulated/rewriter/rewrite.h"
#include "tests/fuzz/sound_errors.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

using namespace kgrade::emulated;

namespace {

void expect_sound_tokens(const LexedSource& source, const std::string& text) {
  std::size_t end = 0;
  int line = 1;
  for (const emulated::Token& token : source.tokens) {
    promise(token.begin >= end && !token.text.empty() && token.end() <= text.size(), "tokens come in order");
    promise(token.text.data() == text.data() + token.begin, "a token is where it says");
    promise(token.line >= line, "lines come in order");
    promise(token.directive < static_cast<int>(source.directives.size()), "a token's directive is there");
    end = token.end();
    line = token.line;
  }
  promise(source.depth.size() == source.tokens.size(), "every token has a depth");
  for (const Directive& directive : source.directives) {
    promise(directive.begin < directive.end && directive.end <= text.size(), "a directive is in the text");
    promise(directive.first_token <= directive.end_token && directive.end_token <= source.tokens.size(),
            "a directive's tokens are there");
    const auto include = read_include(text, directive);
    promise(!include || (include->begin < include->end && include->end <= text.size()),
            "an include is in the text");
  }
}

auto lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

int fuzz_rewrite(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  expect_sound_tokens(lex(text), text);
  const auto rewritten = rewrite_text(text, "fuzz.cu");
  if (rewritten) {
    promise(lines_of(*rewritten) == lines_of(text), "lines stay where they are");
    return 0;
  }
  for (const Error& error : rewritten.errors()) {
    expect_words(error, text);
    promise(error.location.line >= 1 && error.location.line <= lines_of(text) + 1,
            "the line of an error is one of the text's");
  }
  return 0;
}

int fuzz_rewriter_answer(const std::uint8_t* data, std::size_t size) {
  emulated::RewriteRequest request;
  request.source = "/mine/x.cu";
  request.output_directory = "/out";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = emulated::read_answer(text, request);
  if (!answer) return 0;
  promise(!answer->ok() || (*answer)->source == rewritten_source(request), "the tree lies where it should");
  promise(answer->ok() || answer->error().location.line >= 0, "a line is a number of a line");
  promise(emulated::read_answer(to_answer(*answer), request).has_value(), "what is read can be said again");
  return 0;
}

}  // namespace kgrade::fuzz
