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
  // Nothing more comes of that chunk: its files are left alone from now on, or until it runs once more.
  void settle(std::size_t round, std::size_t chunk) { settled_.insert({round, chunk}); }
  void unsettle(std::size_t round, std::size_t chunk) { settled_.erase({round, chunk}); }

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, GrowingFile> files_;
  std::set<std::pair<std::size_t, std::size_t>> settled_;
};

}  // namespace kgrade
