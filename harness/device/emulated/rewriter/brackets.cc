#include "device/emulated/rewriter/brackets.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kgrade::emulated {
namespace {

// The most steps of the searches in a source with its headers. An ordinary source takes thousands of steps.
constexpr std::size_t most_steps = 50'000'000;
// The time limit of the searches. It is far longer than `most_steps` steps take on any machine.
constexpr std::chrono::seconds longest{60};

thread_local SearchBudget* budget = nullptr;

bool ends_argument_list(const Token& token) { return token.is(";") || token.is("{") || token.is("}"); }

bool touches(Tokens tokens, std::size_t at, std::size_t next) {
  return next < tokens.size() && tokens[next].begin == tokens[at].end();
}

// Whether the '<' or '>' is part of <=, >= or <<, and so is not a bracket of a template argument list. (>> is
// two brackets since C++11, and no list begins with the second < of <<.)
bool is_operator_angle(Tokens tokens, std::size_t at) {
  if (touches(tokens, at, at + 1) && tokens[at + 1].is("=")) return true;
  if (!tokens[at].is("<")) return false;
  const bool before = at > 0 && tokens[at - 1].is("<") && touches(tokens, at - 1, at);
  return before || (touches(tokens, at, at + 1) && tokens[at + 1].is("<"));
}

// Whether the '{' opens a namespace (named, nested, inline, unnamed) or an extern "C" block.
bool opens_namespace(Tokens tokens, std::size_t brace) {
  std::size_t i = brace;
  if (i >= 2 && tokens[i - 1].kind == TokenKind::string && tokens[i - 2].is("extern")) return true;
  while (i > 0 && (tokens[i - 1].is_identifier() || tokens[i - 1].is("::"))) {
    if (tokens[i - 1].is("namespace")) return true;
    --i;
  }
  return false;
}

// The '{' that opens the body of a function. `at`: a qualifier in the function's declaration. Nothing if the
// declaration has no body, or declares a variable.
std::optional<std::size_t> body_after(Tokens tokens, std::size_t at) {
  for (std::size_t i = at + 1; i < tokens.size() && !is_search_over(); ++i) {
    spend_search(1);
    if (tokens[i].is("{")) return i;
    if (tokens[i].is(";") || tokens[i].is("}") || tokens[i].is("=")) return std::nullopt;
    if (tokens[i].is("(") || tokens[i].is("[")) {
      const auto close = matching_close(tokens, i);
      if (!close) return std::nullopt;
      i = *close;
    }
  }
  return std::nullopt;
}

void mark_namespace_scope(Tokens tokens, std::vector<Scope>& scopes) {
  std::vector<bool> namespaces;
  std::size_t others = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("}") && !namespaces.empty()) {
      if (!namespaces.back()) --others;
      namespaces.pop_back();
    }
    scopes[i].in_namespace = others == 0;
    if (tokens[i].is("{")) {
      namespaces.push_back(opens_namespace(tokens, i));
      if (!namespaces.back()) ++others;
    }
  }
}

void mark_device_functions(Tokens tokens, std::vector<Scope>& scopes) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__global__") && !tokens[i].is("__device__")) continue;
    // __host__ __device__ code may run on the host, where it may launch kernels.
    if ((i > 0 && tokens[i - 1].is("__host__")) || (i + 1 < tokens.size() && tokens[i + 1].is("__host__")))
      continue;
    const auto open = body_after(tokens, i);
    const auto close = open ? matching_close(tokens, *open) : std::nullopt;
    if (!close) continue;
    for (std::size_t inside = *open; inside < *close; ++inside) scopes[inside].in_device_function = true;
  }
}

}  // namespace

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_opening(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool is_closing(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

SearchBudget::SearchBudget()
    : left_(most_steps),
      deadline_(std::chrono::steady_clock::now() + longest),
      outer_(std::exchange(budget, this)) {}

SearchBudget::~SearchBudget() { budget = outer_; }

void SearchBudget::spend(std::size_t steps) {
  constexpr std::size_t often = 1024;
  left_ -= std::min(steps, left_);
  if (until_look_-- > 0) return;
  until_look_ = often;
  if (std::chrono::steady_clock::now() > deadline_) left_ = 0;
}

void spend_search(std::size_t steps) {
  if (budget != nullptr) budget->spend(steps);
}

bool is_search_over() { return budget != nullptr && budget->is_spent(); }

std::optional<std::size_t> matching_close(Tokens tokens, std::size_t open) {
  if (is_search_over()) return std::nullopt;
  int depth = 0;
  std::size_t i = open;
  for (; i < tokens.size(); ++i) {
    if (is_opening(tokens[i])) ++depth;
    if (is_closing(tokens[i]) && --depth == 0) break;
  }
  spend_search(i - open);
  return i < tokens.size() ? std::optional(i) : std::nullopt;
}

std::optional<std::size_t> matching_open(Tokens tokens, std::size_t close) {
  if (is_search_over()) return std::nullopt;
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (is_closing(tokens[i])) ++depth;
    if (!is_opening(tokens[i]) || --depth > 0) continue;
    spend_search(close - i);
    return i;
  }
  spend_search(close);
  return std::nullopt;
}

std::vector<std::size_t> bracket_partners(Tokens tokens) {
  std::vector<std::size_t> partners(tokens.size(), tokens.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_opening(tokens[i])) open.push_back(i);
    if (!is_closing(tokens[i]) || open.empty()) continue;
    partners[i] = open.back();
    partners[open.back()] = i;
    open.pop_back();
  }
  return partners;
}

std::optional<std::size_t> matching_angle(Tokens tokens, std::size_t close) {
  int depth = 0;
  std::size_t steps = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    spend_search(1);
    if (++steps > longest_angle_arguments || is_search_over()) return std::nullopt;
    if (tokens[i].is(")") || tokens[i].is("]")) {
      const auto open = matching_open(tokens, i);
      if (!open) return std::nullopt;
      i = *open;
    } else if (tokens[i].is("<") || tokens[i].is(">")) {
      if (i != close && is_operator_angle(tokens, i)) continue;
      depth += tokens[i].is(">") ? 1 : -1;
      if (depth == 0) return i;
    } else if (ends_argument_list(tokens[i]) || tokens[i].is("(") || tokens[i].is("[")) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> closing_angle(Tokens tokens, std::size_t open) {
  int depth = 0;
  std::size_t steps = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    spend_search(1);
    if (++steps > longest_angle_arguments || is_search_over()) return std::nullopt;
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      const auto close = matching_close(tokens, i);
      if (!close) return std::nullopt;
      i = *close;
    } else if (tokens[i].is("<") || tokens[i].is(">")) {
      if (i != open && is_operator_angle(tokens, i)) continue;
      depth += tokens[i].is("<") ? 1 : -1;
      if (depth == 0) return i;
    } else if (ends_argument_list(tokens[i]) || tokens[i].is(")") || tokens[i].is("]")) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_run(Tokens tokens, std::size_t at, std::size_t count, std::string_view text) {
  if (at + count > tokens.size()) return false;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!tokens[i].is(text) || (i > at && tokens[i].begin != tokens[i - 1].end())) return false;
  }
  return true;
}

std::string joined(Tokens tokens) {
  std::string result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // Tokens that touch stay together, because the two characters of >> and <= are separate tokens. A space
    // always separates words, because tokens from a macro's body may seem to touch.
    const bool words =
        i > 0 && is_word_character(tokens[i].text.front()) && is_word_character(tokens[i - 1].text.back());
    if (words || (i > 0 && tokens[i].begin != tokens[i - 1].end())) result += ' ';
    result += tokens[i].text;
  }
  return result;
}

std::vector<Scope> find_scopes(Tokens tokens) {
  std::vector<Scope> scopes(tokens.size());
  mark_namespace_scope(tokens, scopes);
  mark_device_functions(tokens, scopes);
  return scopes;
}

}  // namespace kgrade::emulated
