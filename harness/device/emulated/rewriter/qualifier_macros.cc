#include "device/emulated/rewriter/qualifier_macros.h"

#include <algorithm>

namespace kgrade::emulated {
namespace {

constexpr std::size_t most_tokens = 4'000'000;

bool is_qualifier(const Token& token) {
  return token.is("__shared__") || token.is("__global__") || token.is("__device__") || token.is("__host__");
}

}  // namespace

void QualifierMacros::add(Tokens definition) {
  if (definition.size() < 2) return;
  const bool has_parameters = definition[1].is("(") && definition[1].begin == definition[0].end();
  const Tokens body = definition.subspan(1);
  const bool qualifies = std::any_of(body.begin(), body.end(), is_qualifier);
  // A whole declaration is rewritten where it is defined.
  if (has_parameters || !qualifies || body.back().is(";") || body.back().is("]")) return;
  bodies_.emplace(definition[0].text, joined(body));
}

std::vector<Token> QualifierMacros::expanded(Tokens tokens) const {
  std::vector<Token> result;
  result.reserve(tokens.size());
  for (const Token& token : tokens) {
    const auto macro = bodies_.empty() ? bodies_.end() : bodies_.find(token.text);
    // What is much longer than any source of a person's stays as it is written: qualifiers may be missed in
    // it.
    if (macro == bodies_.end() || result.size() > most_tokens || is_search_over()) {
      result.push_back(token);
      continue;
    }
    spend_search(macro->second.size());
    for (Token part : lex(macro->second).tokens) {
      part.begin = token.begin;
      part.line = token.line;
      result.push_back(part);
    }
  }
  return result;
}

}  // namespace kgrade::emulated
