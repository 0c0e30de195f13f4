// Which file an #include means, and whether it may be opened.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

// The rule of the confined compiler (compile/confined_compiler.h) for what we open ourselves because a source
// names it.
class ReadablePaths {
 public:
  // Files, and folders with all below; absolute. Nothing: there is no rule.
  explicit ReadablePaths(const std::optional<std::vector<std::filesystem::path>>& paths);

  // Whether the path is one of them or lies below one, as written and behind all links. A path that is not
  // allowed as it is written is not opened, so its existence stays unknown.
  bool allow(const std::filesystem::path& path) const;

 private:
  bool unrestricted_;
  std::set<std::filesystem::path> written_;
  std::set<std::filesystem::path> real_;
};

struct Include {
  std::string name;       // between the quotes or angle brackets
  bool quoted = false;    // "name" rather than <name>
  std::size_t begin = 0;  // bytes of the name with its quotes or brackets
  std::size_t end = 0;
};

// Nothing for a directive that is no include and for one whose name comes from a macro.
std::optional<Include> read_include(std::string_view text, const Directive& directive);

// A quoted name is looked for beside the including file first, then, as a name in angle brackets, in
// `directories` in order; what is not `readable` is not there. Nothing when it is in none of them, and for an
// absolute name: what the compiler finds by itself is not rewritten.
std::optional<std::filesystem::path> find_include(const Include& include,
                                                  const std::filesystem::path& including,
                                                  const std::vector<std::filesystem::path>& directories,
                                                  const ReadablePaths& readable);

// Whether a folder of headers has what an #include names. False for a name that leads out of it.
bool has_header(const std::filesystem::path& folder, const std::string& name);

}  // namespace kgrade::emulated
