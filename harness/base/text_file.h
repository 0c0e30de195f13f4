// Three kinds of files: a file that is written beside its final place, a file that is read line by line, and
// a file in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace kgrade {

// A new file that will replace another file. It has an unused name in the same folder. The file is removed
// when the object is destroyed or a signal ends the run, unless the file was renamed.
class PartialFile {
 public:
  // Makes a file for its owner alone (mode 0600). If no file can be made, there is no descriptor, and errno
  // is set.
  static PartialFile beside(const std::filesystem::path& path);
  PartialFile(PartialFile&& other) noexcept
      : name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  explicit operator bool() const { return !name_.empty(); }
  const char* name() const { return name_.c_str(); }
  // Open for reading and writing, until take_descriptor().
  const UniqueFd& descriptor() const { return fd_; }
  UniqueFd take_descriptor() { return std::move(fd_); }
  // Replaces the file at `path`. Returns 0 or the errno.
  int rename_to(const std::filesystem::path& path);

 private:
  PartialFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  std::string name_;  // empty: there is no file
  UniqueFd fd_;
};

// Reads a text file of any size line by line. Holds one line and a piece of the file in memory.
class LineReader {
 public:
  // Only whole lines count: text after the last line break is not returned by next(). An Error names the file
  // if it is missing, not a regular file or unreadable, or if a line has more than `limit` bytes.
  static Result<LineReader> open(const std::filesystem::path& path, std::uint64_t limit);

  // The next line without its line break. Nothing at the end of the file.
  Result<std::optional<std::string>> next();
  // The number of the latest line, counted from 1.
  int line() const { return line_; }
  // The text after the last line break. Valid once next() has returned nothing.
  std::string_view rest() const { return std::string_view(piece_).substr(begin_); }

 private:
  LineReader(std::filesystem::path path, std::uint64_t limit) : path_(std::move(path)), limit_(limit) {}
  bool fill();

  std::filesystem::path path_;
  std::uint64_t limit_;
  std::ifstream stream_;
  std::string piece_;
  std::size_t begin_ = 0;  // of the part that is not returned yet
  int line_ = 0;
};

// Makes a file in memory that holds the text. Another process can read the file if it gets the descriptor.
// Returns no descriptor if the machine has no room for it.
UniqueFd memory_file(std::string_view text);

}  // namespace kgrade
