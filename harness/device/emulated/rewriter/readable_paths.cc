#include "device/emulated/rewriter/readable_paths.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

bool is_in(const std::set<fs::path>& paths, fs::path path) {
  for (;; path = path.parent_path()) {
    if (paths.contains(path)) return true;
    if (!path.has_relative_path()) return false;
  }
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

}  // namespace kgrade
