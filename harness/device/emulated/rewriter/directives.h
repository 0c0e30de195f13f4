// Preprocessor directives: the file that an #include means and whether it may be opened, and conditions on
// __CUDA_ARCH__.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

// The tokens of a directive after its name.
Tokens tokens_of(const LexedSource& source, const Directive& directive);

// Applies the confined compiler's rule (compile/confined_compiler.h) to files that the rewriter opens because
// a source names them.
class ReadablePaths {
 public:
  // `paths` are absolute paths of files, and of folders with everything below. If it is unset, all paths are
  // allowed.
  explicit ReadablePaths(const std::optional<std::vector<std::filesystem::path>>& paths);

  // Whether the path may be opened: it must be one of these paths or lie below one of them, both as written
  // and with all links resolved. Links are resolved only if the written path is allowed. So the answer does
  // not say whether any other path exists.
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

// Rewrites conditions on __CUDA_ARCH__. nvcc compiles a file twice: for the host without this macro, and for
// the device with it. The emulated device compiles a file once, without the macro. A condition that contains
// only device code (in the body of a device function, or around device functions) is rewritten as if the
// macro were 900, the architecture that nvcc is given.
//
// `code` holds the source's tokens outside of directives, `scopes` has one entry per token, and `unsupported`
// has the offsets of code that the emulated device cannot run. A condition that has an #else and contains
// unsupported code is not rewritten. Then the host's branch is compiled, because it can run.
void rewrite_architecture_conditions(const LexedSource& source, Tokens code, const std::vector<Scope>& scopes,
                                     const std::vector<std::size_t>& unsupported, Edits& edits);

}  // namespace kgrade::emulated
