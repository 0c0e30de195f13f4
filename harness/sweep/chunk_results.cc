#include "sweep/chunk_results.h"

#include <algorithm>

#include "sweep/chunks.h"

namespace kgrade {

std::vector<ChunkResults::Line> ChunkResults::new_lines() {
  std::vector<Line> lines;
  for (const std::filesystem::path& path : all_results(folder_)) {
    const auto chunk = chunk_of_results(path);
    if (chunk && settled_.contains(*chunk)) continue;
    for (std::string& text : files_[path].new_lines(path)) lines.push_back({path, std::move(text)});
  }
  return lines;
}

void ChunkResults::heard_of(std::size_t round, std::size_t chunk, bool ended, double now) {
  const std::pair key{round, chunk};
  if (!ended) {
    ended_.erase(key);
    settled_.erase(key);
  } else if (now - ended_.try_emplace(key, now).first->second > late_results) {
    settled_.insert(key);
  }
}

bool ChunkResults::has_any(std::size_t round, std::size_t chunk) const {
  return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
    return file.second.had_lines() && chunk_of_results(file.first) == std::pair{round, chunk};
  });
}

}  // namespace kgrade
