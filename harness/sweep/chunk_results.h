// The results that the tasks of a sweep by Slurm write, read as they come.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/growing_file.h"

namespace kgrade {

// A shared file system may show what was written that much later, in seconds.
constexpr double late_results = 60;

class ChunkResults {
 public:
  struct Line {
    std::filesystem::path file;
    std::string text;
  };

  explicit ChunkResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Whole lines that have come since the last call. Each file is opened, since a shared file system may be
  // late with its size.
  std::vector<Line> new_lines();
  // Whether that chunk has written a line, in any of its runs.
  bool has_any(std::size_t round, std::size_t chunk) const;
  // Whether the chunk's task has ended, as Slurm says at `now`, in seconds. When that is late_results ago
  // nothing more comes of it, and its files are left alone until it runs again: a user may requeue it.
  void heard_of(std::size_t round, std::size_t chunk, bool ended, double now);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, GrowingFile> files_;
  std::map<std::pair<std::size_t, std::size_t>, double> ended_;  // when that was first heard
  std::set<std::pair<std::size_t, std::size_t>> settled_;
};

}  // namespace kgrade
