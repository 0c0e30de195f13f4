// The journal of a service: a file of JSON lines that is only appended to. A line that commit() has written
// is not lost, even if the service or the machine stops at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace kgrade {

class Journal {
 public:
  // Waits until the disk has a file, as fdatasync(2) does. Returns 0, or -1 with errno set.
  using Sync = std::function<int(int descriptor)>;

  // Opens or makes the file, and locks it for this process. Errors if the file cannot be written, or if
  // another service uses it. `sync`: for tests of a disk that fails; empty: fdatasync(2).
  static Result<Journal> open(const std::filesystem::path& path, Sync sync = {});

  // The whole lines of the file. If a stop in mid-write has left an unfinished last line, this line is cut
  // off.
  Result<std::vector<std::string>> read();

  // Adds a line, given without a line break. After commit(), the line is durable.
  void append(std::string_view line);
  bool has_pending() const { return !pending_.empty(); }
  // Writes all added lines, and waits until the disk has them. After an Error, the lines are still pending:
  // the next commit() writes them again, and none is in the file twice.
  Result<bool> commit();

  // Replaces the contents of the file by these lines. After an Error, the file has either all of these lines
  // or its old contents.
  Result<bool> rewrite(const std::vector<std::string>& lines);

  // The number of bytes that the disk is known to have.
  std::uint64_t bytes() const { return durable_; }

 private:
  Journal(std::filesystem::path path, UniqueFd lock, UniqueFd file, Sync sync)
      : path_(std::move(path)), lock_(std::move(lock)), file_(std::move(file)), sync_(std::move(sync)) {}

  Error cannot_write(int code) const;
  // Replaces the file by a new one with this text. sync_name() makes the replacement durable.
  Result<bool> replace(const std::string& text);
  Result<bool> sync_name();

  std::filesystem::path path_;
  UniqueFd lock_;
  UniqueFd file_;
  Sync sync_;
  std::string pending_;
  std::uint64_t durable_ = 0;  // the first bytes of the file, which the disk is known to have
  // True after a failed write or sync_: then the file may hold anything behind the durable bytes. After a
  // failed fdatasync(2), Linux forgets the bytes that it could not write, so a later success says nothing
  // about these bytes. Only a new file helps.
  bool is_doubtful_ = false;
  bool is_renamed_ = false;  // the file is new, and the disk may still have the old one under its name
};

}  // namespace kgrade
