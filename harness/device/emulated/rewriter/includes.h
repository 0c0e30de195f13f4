// Finds the file that an #include means, and whether it may be opened.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

// Applies the confined compiler's rule (compile/confined_compiler.h) to files that the rewriter opens because
// a source names them.
class ReadablePaths {
 public:
  // Absolute paths of files, and of folders with everything below. Nothing: all paths are allowed.
  explicit ReadablePaths(const std::optional<std::vector<std::filesystem::path>>& paths);

  // Whether the path may be opened: it must be one of these paths or lie below one of them, both as written
  // and with all links resolved. A path that is not allowed as it is written is not opened, so its existence
  // stays unknown.
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

// Nothing for a directive that is not an #include, or whose name comes from a macro.
std::optional<Include> read_include(std::string_view text, const Directive& directive);

// Looks for a name in `directories` in order. A quoted name is first looked for beside the including file.
// Files that are not `readable` count as missing. Nothing if no folder has the name, or if the name is
// absolute. Files that only the compiler finds are not rewritten.
std::optional<std::filesystem::path> find_include(const Include& include,
                                                  const std::filesystem::path& including,
                                                  const std::vector<std::filesystem::path>& directories,
                                                  const ReadablePaths& readable);

// Whether a folder has the header that an #include names. False for a name that leads out of it.
bool has_header(const std::filesystem::path& folder, const std::string& name);

}  // namespace kgrade::emulated
