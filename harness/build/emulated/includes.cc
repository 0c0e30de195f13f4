#include "build/emulated/includes.h"

namespace kgrade::emulated {
namespace {

std::optional<std::filesystem::path> regular_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
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
                                                  const std::vector<std::filesystem::path>& directories) {
  if (include.name.empty() || include.name.front() == '/') return std::nullopt;
  if (include.quoted) {
    if (auto found = regular_file(including.parent_path() / include.name)) return found;
  }
  for (const std::filesystem::path& directory : directories) {
    if (auto found = regular_file(directory / include.name)) return found;
  }
  return std::nullopt;
}

}  // namespace kgrade::emulated
