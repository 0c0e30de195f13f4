#include "device/emulated/rewriter/shared_captures.h"

#include <algorithm>
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

// The lambda that begins at `at`, if one does.
std::optional<Lambda> lambda_at(Tokens tokens, const std::vector<std::size_t>& partners, std::size_t at) {
  if (!tokens[at].is("[") || !can_begin_lambda(tokens, at)) return std::nullopt;
  const std::size_t close = partners[at];
  for (std::size_t i = close + 1; i < tokens.size() && !is_search_over(); ++i) {
    spend_search(1);
    if (tokens[i].is("{")) {
      const bool ends = partners[i] < tokens.size();
      return ends ? std::optional(Lambda{at, close, partners[i]}) : std::nullopt;
    }
    if (tokens[i].is("(")) {
      i = partners[i];
    } else if (tokens[i].is(";") || is_closing(tokens[i]) || tokens[i].is(",") || tokens[i].is("=")) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<Lambda> find_lambdas(Tokens tokens, const std::vector<std::size_t>& partners) {
  std::vector<Lambda> lambdas;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (const auto lambda = lambda_at(tokens, partners, i)) lambdas.push_back(*lambda);
  }
  return lambdas;
}

// Where a name stands that is no member's, in order, by name.
using Uses = std::map<std::string, std::vector<std::size_t>, std::less<>>;

Uses uses_of(Tokens tokens, const std::vector<SharedDeclaration>& declarations) {
  Uses uses;
  for (const SharedDeclaration& declaration : declarations) {
    for (const Declarator& declarator : declaration.declarators) uses[declarator.name];
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    const auto found = member ? uses.end() : uses.find(tokens[i].text);
    if (found != uses.end()) found->second.push_back(i);
  }
  return uses;
}

bool is_used(const std::vector<std::size_t>& uses, std::size_t begin, std::size_t end) {
  const auto first = std::lower_bound(uses.begin(), uses.end(), begin);
  return first != uses.end() && *first < end;
}

bool captures_by_reference(Tokens captures) {
  return !captures.empty() && captures[0].is("&") && (captures.size() == 1 || captures[1].is(","));
}

// Of every token the '}' that ends the block around it: the first behind it that no bracket between them
// opens.
std::vector<std::size_t> block_ends(Tokens tokens, const std::vector<std::size_t>& partners) {
  std::vector<std::size_t> ends(tokens.size() + 1, tokens.size());
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (is_opening(tokens[i])) {
      ends[i] = ends[std::min(partners[i] + 1, tokens.size())];
    } else {
      ends[i] = tokens[i].is("}") ? i : ends[i + 1];
    }
  }
  return ends;
}

using LambdaCaptures = std::map<std::size_t, std::set<std::string>>;  // by the token of the lambda's ]

// Of one variable, in the lambdas between two tokens.
void find_missing_captures(Tokens tokens, const std::vector<Lambda>& lambdas, std::size_t begin,
                           std::size_t end, const std::string& name, const std::vector<std::size_t>& uses,
                           LambdaCaptures& missing) {
  auto lambda = std::lower_bound(lambdas.begin(), lambdas.end(), begin,
                                 [](const Lambda& other, std::size_t at) { return other.open < at; });
  constexpr std::size_t steps = 8;  // two searches among the uses
  for (; lambda != lambdas.end() && lambda->open < end && !is_search_over(); ++lambda) {
    spend_search(steps);
    if (captures_by_reference(tokens.subspan(lambda->open + 1, lambda->close - lambda->open - 1))) continue;
    if (is_used(uses, lambda->close, lambda->body_end) && !is_used(uses, lambda->open + 1, lambda->close))
      missing[lambda->close].insert("&" + name);
  }
}

}  // namespace

void capture_shared_variables(Tokens tokens, const std::vector<SharedDeclaration>& declarations,
                              const std::vector<Scope>& scopes, Edits& edits) {
  if (declarations.empty()) return;
  const std::vector<std::size_t> partners = bracket_partners(tokens);
  const std::vector<Lambda> lambdas = find_lambdas(tokens, partners);
  const Uses uses = uses_of(tokens, declarations);
  const std::vector<std::size_t> ends = block_ends(tokens, partners);
  LambdaCaptures missing;
  for (const SharedDeclaration& declaration : declarations) {
    if (scopes[declaration.begin].in_namespace) continue;
    for (const Declarator& declarator : declaration.declarators) {
      find_missing_captures(tokens, lambdas, declaration.end, ends[declaration.end], declarator.name,
                            uses.find(declarator.name)->second, missing);
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
