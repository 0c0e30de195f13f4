#include "sandbox/resolved_path.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>

namespace kgrade {

std::optional<ResolvedPath> resolve(const std::filesystem::path& path) {
  constexpr std::size_t most_links = 40;  // as many as the kernel follows
  if (!path.is_absolute()) return std::nullopt;
  ResolvedPath result{"/", true, {}};
  std::deque<std::filesystem::path> ahead(path.begin(), path.end());
  while (!ahead.empty()) {
    const std::filesystem::path part = ahead.front();
    ahead.pop_front();
    if (part.empty() || part == "." || part == "/") continue;
    if (part == "..") {
      result.path = result.path.parent_path();
      continue;
    }
    const std::filesystem::path next = result.path / part;
    struct stat status {};
    if (::lstat(next.c_str(), &status) != 0) return std::nullopt;
    if (!S_ISLNK(status.st_mode)) {
      result.path = next;
      result.is_directory = S_ISDIR(status.st_mode);
      continue;
    }
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(next, error);
    if (error || result.links.size() == most_links) return std::nullopt;
    result.links.push_back({next, target.string()});
    if (target.is_absolute()) result.path = "/";
    result.is_directory = true;
    ahead.insert(ahead.begin(), target.begin(), target.end());
  }
  return result;
}

bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace kgrade
