// A text file line by line, however large it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// Holds one line and a piece of the file in memory.
class LineReader {
 public:
  // Only whole lines count: what follows the last line break is not given. An Error names the file when it is
  // missing, no regular file or unreadable, and a line of more than `limit` bytes.
  static Result<LineReader> open(const std::filesystem::path& path, std::uint64_t limit);

  // The next line without its break; nothing at the end of the file.
  Result<std::optional<std::string>> next();
  // Of the line that was given last, counted from 1.
  int line() const { return line_; }
  // What follows the last line break, once next() has given nothing.
  std::string_view rest() const { return std::string_view(piece_).substr(begin_); }

 private:
  LineReader(std::filesystem::path path, std::uint64_t limit) : path_(std::move(path)), limit_(limit) {}
  bool fill();

  std::filesystem::path path_;
  std::uint64_t limit_;
  std::ifstream stream_;
  std::string piece_;
  std::size_t begin_ = 0;  // of what is not given yet
  int line_ = 0;
};

}  // namespace kgrade
