#include "device/emulated/rewriter/includes.h"

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

}  // namespace

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

}  // namespace kgrade::emulated
