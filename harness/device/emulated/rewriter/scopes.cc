#include "device/emulated/rewriter/scopes.h"

namespace kgrade::emulated {
namespace {

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

// The '{' of the body of the function whose declaration holds the qualifier at `at`; nothing for a
// declaration without a body and for a variable.
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

std::vector<Scope> find_scopes(Tokens tokens) {
  std::vector<Scope> scopes(tokens.size());
  mark_namespace_scope(tokens, scopes);
  mark_device_functions(tokens, scopes);
  return scopes;
}

}  // namespace kgrade::emulated
