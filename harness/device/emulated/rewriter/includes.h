// Which file an #include means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/emulated/rewriter/lexer.h"
#include "device/emulated/rewriter/readable_paths.h"

namespace kgrade::emulated {

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
