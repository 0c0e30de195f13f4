// The journal of a service: a file of JSON lines that is only appended to. What a line says has happened is
// not lost, even if the service or the machine stops at any moment.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace kgrade {

class Journal {
 public:
  // Opens or makes the file, and locks it for this process. Errors: the file cannot be written, or another
  // service uses it.
  static Result<Journal> open(const std::filesystem::path& path);

  // The whole lines of the file. An unfinished last line, which a stop in mid-write leaves, is cut off.
  Result<std::vector<std::string>> read();

  // Adds a line, which has no line break. It is in the file for good after commit().
  void append(std::string_view line);
  bool has_pending() const { return !pending_.empty(); }
  // Writes all added lines, and waits until the disk has them (fdatasync(2)). After an Error, the lines are
  // still pending.
  Result<bool> commit();

  // Replaces the file by these lines, all or none of them.
  Result<bool> rewrite(const std::vector<std::string>& lines);

  std::uint64_t bytes() const { return bytes_; }

 private:
  Journal(std::filesystem::path path, UniqueFd lock, UniqueFd file)
      : path_(std::move(path)), lock_(std::move(lock)), file_(std::move(file)) {}

  Error cannot_write(int code) const;

  std::filesystem::path path_;
  UniqueFd lock_;
  UniqueFd file_;
  std::string pending_;
  std::uint64_t bytes_ = 0;  // in the file
};

}  // namespace kgrade
