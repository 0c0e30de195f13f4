// Files that text.h does not read or write as a whole: one that is being written beside its place, and one
// that is read line by line.
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

// A file beside the one that it is to become, under an unused name. Goes with the object, and by a signal,
// unless it was renamed before.
class PartialFile {
 public:
  // For the owner alone (mode 0600). Without a descriptor, and with errno set, where none can be made.
  static PartialFile beside(const std::filesystem::path& path);
  PartialFile(PartialFile&& other) noexcept
      : name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  explicit operator bool() const { return !name_.empty(); }
  const char* name() const { return name_.c_str(); }
  // Open for reading and writing until it is taken.
  const UniqueFd& descriptor() const { return fd_; }
  UniqueFd take_descriptor() { return std::move(fd_); }
  // Replaces what is there. 0, or errno.
  int rename_to(const std::filesystem::path& path);

 private:
  PartialFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  std::string name_;  // empty: there is no file
  UniqueFd fd_;
};

// A text file line by line, however large it is. Holds one line and a piece of the file in memory.
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
