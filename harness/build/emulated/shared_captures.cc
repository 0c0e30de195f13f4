#include "build/emulated/shared_captures.h"

#include <map>
#include <set>

namespace kgrade::emulated {
namespace {

struct Lambda {
  std::size_t open = 0;   // [
  std::size_t close = 0;  // ]
  std::size_t body_end = 0;
};

// A '[' after an operand is a subscript.
bool can_begin_lambda(Tokens tokens, std::size_t at) {
  if (is_run(tokens, at, 2, "[")) return false;
  if (at == 0) return true;
  const Token& before = tokens[at - 1];
  const bool operand = before.is_identifier() && !before.is("return");
  return !operand && !before.is(")") && !before.is("]") && !before.is("[") &&
         before.kind != TokenKind::string;
}

std::optional<Lambda> lambda_at(Tokens tokens, std::size_t at) {
  if (!tokens[at].is("[") || !can_begin_lambda(tokens, at)) return std::nullopt;
  const auto close = matching_close(tokens, at);
  if (!close) return std::nullopt;
  for (std::size_t i = *close + 1; i < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      const auto end = matching_close(tokens, i);
      return end ? std::optional(Lambda{at, *close, *end}) : std::nullopt;
    }
    if (tokens[i].is("(")) {
      i = matching_close(tokens, i).value_or(tokens.size());
    } else if (tokens[i].is(";") || is_closing(tokens[i]) || tokens[i].is(",") || tokens[i].is("=")) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool names(Tokens tokens, const std::string& name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    if (!member && tokens[i].is(name)) return true;
  }
  return false;
}

bool captures_by_reference(Tokens captures) {
  return !captures.empty() && captures[0].is("&") && (captures.size() == 1 || captures[1].is(","));
}

// The tokens that follow a declaration up to the end of its block.
std::size_t block_end(Tokens tokens, std::size_t begin) {
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    if (is_opening(tokens[i])) {
      i = matching_close(tokens, i).value_or(tokens.size());
    } else if (tokens[i].is("}")) {
      return i;
    }
  }
  return tokens.size();
}

}  // namespace

void capture_shared_variables(Tokens tokens, const std::vector<SharedDeclaration>& declarations,
                              const std::vector<Scope>& scopes, Edits& edits) {
  std::map<std::size_t, std::set<std::string>> missing;  // by the token of the lambda's ]
  for (const SharedDeclaration& declaration : declarations) {
    if (scopes[declaration.begin].in_namespace) continue;
    const std::size_t end = block_end(tokens, declaration.end);
    for (std::size_t i = declaration.end; i < end; ++i) {
      const auto lambda = lambda_at(tokens, i);
      if (!lambda) continue;
      const Tokens captures = tokens.subspan(lambda->open + 1, lambda->close - lambda->open - 1);
      if (captures_by_reference(captures)) continue;
      const Tokens body = tokens.subspan(lambda->close, lambda->body_end - lambda->close);
      for (const Declarator& declarator : declaration.declarators) {
        if (names(body, declarator.name) && !names(captures, declarator.name)) {
          missing[lambda->close].insert("&" + declarator.name);
        }
      }
    }
  }
  for (const auto& [close, captures] : missing) {
    std::string text;
    for (const std::string& capture : captures) {
      if (!text.empty() || !tokens[close - 1].is("[")) text += ", ";
      text += capture;
    }
    edits.insert(tokens[close].begin, text);
  }
}

}  // namespace kgrade::emulated
