#include "sweep/chunk_results.h"

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

}  // namespace kgrade
