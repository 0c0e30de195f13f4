#include "leaderboard/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kgrade {
namespace {

namespace fs = std::filesystem;

bool is_elsewhere(const fs::path& path) { return path.is_absolute() || *path.begin() == ".."; }

fs::path joined(std::vector<fs::path>::const_iterator begin, std::vector<fs::path>::const_iterator end) {
  fs::path path;
  for (; begin != end; ++begin) path /= *begin;
  return path;
}

// Of a path elsewhere.
fs::path short_name(const fs::path& path, const std::string& slug) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  auto folder = std::find(parts.rbegin() + 1, parts.rend(), fs::path(slug)).base();
  if (folder == parts.begin()) return fs::path(slug) / parts.back();
  --folder;
  if (folder != parts.begin() && *(folder - 1) == "solutions") --folder;
  return joined(folder, parts.end());
}

// What all have in common at their beginnings, none of them whole.
std::size_t common_parts(const std::set<fs::path>& paths) {
  const fs::path first = paths.begin()->parent_path();
  const fs::path last = paths.rbegin()->parent_path();
  const auto end = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  return static_cast<std::size_t>(std::distance(first.begin(), end));
}

fs::path below_common(const fs::path& path, const std::set<fs::path>& paths, const std::string& slug) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  return fs::path(slug) /
         joined(parts.begin() + static_cast<std::ptrdiff_t>(common_parts(paths)), parts.end());
}

// By file of results, problem, element type, device and short name.
using Key = std::tuple<fs::path, std::string, Dtype, std::string, fs::path>;

Key key_of(const Record& record) {
  return {record.read_from.file, record.problem_slug, record.dtype, std::string(device_model(record.device)),
          short_name(record.candidate().path, record.problem_slug)};
}

}  // namespace

void name_candidates(std::vector<Record>& records) {
  std::map<Key, std::set<fs::path>> elsewhere;
  for (Record& record : records) {
    record.candidate().path = fs::path(record.candidate().path).lexically_normal().generic_string();
    if (!record.candidate().path.empty() && is_elsewhere(record.candidate().path))
      elsewhere[key_of(record)].insert(record.candidate().path);
  }
  for (Record& record : records) {
    if (record.candidate().path.empty() || !is_elsewhere(record.candidate().path)) continue;
    const Key key = key_of(record);
    const std::set<fs::path>& paths = elsewhere.at(key);
    const fs::path name = paths.size() == 1
                              ? std::get<4>(key)
                              : below_common(record.candidate().path, paths, record.problem_slug);
    record.candidate().path = name.generic_string();
  }
}

}  // namespace kgrade
