// The rule of the confined compiler (compile/confined_compiler.h) for what we open ourselves on a source's
// word.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace kgrade {

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

}  // namespace kgrade
