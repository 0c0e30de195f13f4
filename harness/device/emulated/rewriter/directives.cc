#include "device/emulated/rewriter/directives.h"

#include <algorithm>

namespace kgrade::emulated {
namespace fs = std::filesystem;
namespace {

bool is_in(const std::set<fs::path>& paths, fs::path path) {
  for (;; path = path.parent_path()) {
    if (paths.contains(path)) return true;
    if (!path.has_relative_path()) return false;
  }
}

std::optional<fs::path> regular_file(const fs::path& path, const ReadablePaths& readable) {
  std::error_code ignored;
  if (!readable.allow(path) || !fs::is_regular_file(path, ignored)) return std::nullopt;
  return path.lexically_normal();
}

constexpr std::string_view architecture_macro = "__CUDA_ARCH__";

// The directives of one conditional: #if, its #elif and #else, and its #endif.
struct Conditional {
  std::vector<const Directive*> directives;

  std::size_t begin() const { return directives.front()->begin; }
  std::size_t end() const { return directives.back()->end; }
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

// Rewrites a condition as if the macro were 900.
void take_device_view(const LexedSource& source, const Directive& directive, Edits& edits) {
  const Tokens condition = tokens_of(source, directive);
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

Tokens tokens_of(const LexedSource& source, const Directive& directive) {
  return Tokens(source.tokens).subspan(directive.first_token, directive.end_token - directive.first_token);
}

ReadablePaths::ReadablePaths(const std::optional<std::vector<fs::path>>& paths)
    : unrestricted_(!paths.has_value()) {
  if (unrestricted_) return;
  for (const fs::path& path : *paths) {
    std::error_code failure;
    written_.insert(path.lexically_normal());
    const fs::path real = fs::canonical(path, failure);
    if (!failure) real_.insert(real);
  }
}

bool ReadablePaths::allow(const fs::path& path) const {
  if (unrestricted_) return true;
  std::error_code failure;
  if (!is_in(written_, fs::absolute(path, failure).lexically_normal())) return false;
  const fs::path real = fs::canonical(path, failure);
  return !failure && is_in(real_, real);
}

std::optional<Include> read_include(std::string_view text, const Directive& directive) {
  if (directive.name != "include" && directive.name != "include_next" && directive.name != "import") {
    return std::nullopt;
  }
  const std::string_view line = text.substr(directive.begin, directive.end - directive.begin);
  const std::size_t name_end = line.find(directive.name) + directive.name.size();
  const std::size_t open = line.find_first_not_of(" \t", name_end);
  if (open == std::string_view::npos || (line[open] != '"' && line[open] != '<')) return std::nullopt;
  const std::size_t close = line.find(line[open] == '"' ? '"' : '>', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  Include include;
  include.name = line.substr(open + 1, close - open - 1);
  include.quoted = line[open] == '"';
  include.begin = directive.begin + open;
  include.end = directive.begin + close + 1;
  return include;
}

std::optional<fs::path> find_include(const Include& include, const fs::path& including,
                                     const std::vector<fs::path>& directories,
                                     const ReadablePaths& readable) {
  if (include.name.empty() || include.name.front() == '/') return std::nullopt;
  if (include.quoted) {
    if (auto found = regular_file(including.parent_path() / include.name, readable)) return found;
  }
  for (const fs::path& directory : directories) {
    if (auto found = regular_file(directory / include.name, readable)) return found;
  }
  return std::nullopt;
}

bool has_header(const fs::path& folder, const std::string& name) {
  const fs::path path(name);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) return false;
  std::error_code ignored;
  return fs::exists(folder / path, ignored);
}

void rewrite_architecture_conditions(const LexedSource& source, Tokens code, const std::vector<Scope>& scopes,
                                     const std::vector<std::size_t>& unsupported, Edits& edits) {
  for (const Conditional& conditional : conditionals_of(source)) {
    const bool asks_for_architecture =
        std::any_of(conditional.directives.begin(), conditional.directives.end(), [&](const auto* directive) {
          const Tokens condition = tokens_of(source, *directive);
          return std::any_of(condition.begin(), condition.end(),
                             [](const Token& token) { return token.is(architecture_macro); });
        });
    if (!asks_for_architecture || !is_device_code(code, scopes, conditional)) continue;
    if (conditional.directives.size() > 2) {  // there is an #else or #elif
      if (is_search_over()) continue;
      spend_search(unsupported.size());
      if (std::any_of(unsupported.begin(), unsupported.end(),
                      [&](std::size_t at) { return at > conditional.begin() && at < conditional.end(); }))
        continue;
    }
    for (const Directive* directive : conditional.directives) take_device_view(source, *directive, edits);
  }
}

}  // namespace kgrade::emulated
