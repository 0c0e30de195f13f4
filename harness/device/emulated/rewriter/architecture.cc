#include "device/emulated/rewriter/architecture.h"

#include <algorithm>

namespace kgrade::emulated {
namespace {

constexpr std::string_view architecture_macro = "__CUDA_ARCH__";

// The directives of one conditional: #if, its #elif and #else, and its #endif.
struct Conditional {
  std::vector<const Directive*> directives;

  std::size_t begin() const { return directives.front()->begin; }
  std::size_t end() const { return directives.back()->end; }
  bool has_else() const { return directives.size() > 2; }
};

std::vector<Conditional> conditionals_of(const LexedSource& source) {
  std::vector<Conditional> open, closed;
  for (const Directive& directive : source.directives) {
    if (directive.name.starts_with("if")) {
      open.push_back({{&directive}});
    } else if (!open.empty() && (directive.name.starts_with("el") || directive.name == "endif")) {
      open.back().directives.push_back(&directive);
      if (directive.name != "endif") continue;
      closed.push_back(std::move(open.back()));
      open.pop_back();
    }
  }
  return closed;
}

Tokens condition_of(const LexedSource& source, const Directive& directive) {
  return Tokens(source.tokens).subspan(directive.first_token, directive.end_token - directive.first_token);
}

bool asks_for_architecture(const LexedSource& source, const Conditional& conditional) {
  return std::any_of(conditional.directives.begin(), conditional.directives.end(),
                     [&](const auto* directive) {
                       const Tokens condition = condition_of(source, *directive);
                       return std::any_of(condition.begin(), condition.end(),
                                          [](const Token& token) { return token.is(architecture_macro); });
                     });
}

// Whether all code in and around the conditional is device code.
bool is_device_code(Tokens code, const std::vector<Scope>& scopes, const Conditional& conditional) {
  const auto first = std::lower_bound(code.begin(), code.end(), conditional.begin(),
                                      [](const Token& token, std::size_t at) { return token.begin < at; });
  const auto index = static_cast<std::size_t>(first - code.begin());
  const bool inside = index > 0 && index < code.size() && scopes[index - 1].in_device_function &&
                      scopes[index].in_device_function;
  if (inside) return true;
  bool device = false;
  for (auto token = first; token != code.end() && token->begin < conditional.end(); ++token) {
    if (is_search_over()) return false;
    spend_search(1);
    if (token->is("__host__")) return false;
    device = device || token->is("__device__") || token->is("__global__");
  }
  return device;
}

bool can_run(const Conditional& conditional, const std::vector<std::size_t>& unsupported) {
  if (is_search_over()) return false;
  spend_search(unsupported.size());
  return std::none_of(unsupported.begin(), unsupported.end(),
                      [&](std::size_t at) { return at > conditional.begin() && at < conditional.end(); });
}

// Rewrites a condition as if the macro were 900.
void take_device_view(const LexedSource& source, const Directive& directive, Edits& edits) {
  const Tokens condition = condition_of(source, directive);
  if (directive.name == "ifdef" || directive.name == "ifndef") {
    if (condition.empty() || !condition[0].is(architecture_macro)) return;
    edits.replace(directive.begin, directive.end, directive.name == "ifdef" ? "#if 1" : "#if 0");
    return;
  }
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (!condition[i].is(architecture_macro)) continue;
    const bool plain = i > 0 && condition[i - 1].is("defined");
    const bool bracketed = i > 1 && condition[i - 1].is("(") && condition[i - 2].is("defined");
    const std::size_t first = plain ? i - 1 : bracketed ? i - 2 : i;
    const std::size_t last = bracketed && i + 1 < condition.size() ? i + 1 : i;
    edits.replace(condition[first].begin, condition[last].end(), plain || bracketed ? "1" : "900");
  }
}

}  // namespace

void rewrite_architecture_conditions(const LexedSource& source, Tokens code, const std::vector<Scope>& scopes,
                                     const std::vector<std::size_t>& unsupported, Edits& edits) {
  for (const Conditional& conditional : conditionals_of(source)) {
    if (!asks_for_architecture(source, conditional)) continue;
    if (!is_device_code(code, scopes, conditional)) continue;
    if (conditional.has_else() && !can_run(conditional, unsupported)) continue;
    for (const Directive* directive : conditional.directives) take_device_view(source, *directive, edits);
  }
}

}  // namespace kgrade::emulated
