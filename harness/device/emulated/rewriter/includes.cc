#include "device/emulated/rewriter/includes.h"

#include <algorithm>

namespace kgrade::emulated {
namespace {

std::optional<std::filesystem::path> regular_file(const std::filesystem::path& path,
                                                  const ReadablePaths& readable) {
  std::error_code ignored;
  if (!readable.allow(path) || !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return path.lexically_normal();
}

}  // namespace

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

std::optional<std::filesystem::path> find_include(const Include& include,
                                                  const std::filesystem::path& including,
                                                  const std::vector<std::filesystem::path>& directories,
                                                  const ReadablePaths& readable) {
  if (include.name.empty() || include.name.front() == '/') return std::nullopt;
  if (include.quoted) {
    if (auto found = regular_file(including.parent_path() / include.name, readable)) return found;
  }
  for (const std::filesystem::path& directory : directories) {
    if (auto found = regular_file(directory / include.name, readable)) return found;
  }
  return std::nullopt;
}

bool has_header(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) return false;
  std::error_code ignored;
  return std::filesystem::exists(folder / path, ignored);
}

}  // namespace kgrade::emulated
