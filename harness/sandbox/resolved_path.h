// Where a path leads, and by which symbolic links: in a new root they have to be made again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

struct SymbolicLink {
  std::filesystem::path path;  // free of links itself
  std::string target;          // as it is written there
};

struct ResolvedPath {
  std::filesystem::path path;  // absolute and free of links
  bool is_directory = false;
  std::vector<SymbolicLink> links;  // in the order in which they were followed
};

// Nothing when there is no such file or none that we can reach, or when the path is not absolute.
std::optional<ResolvedPath> resolve(const std::filesystem::path& path);

// Whether `path` is `folder` or lies below it; both absolute and without dots.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace kgrade
