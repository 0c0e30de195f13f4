// The file that a sweep writes: one record of `kgrade grade` with one candidate per line, appended as soon as
// it is there. Whenever and however the sweep ends, at most the line being written is lost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "record/record.h"

namespace kgrade {

enum class ResultMode { create, resume, overwrite };

// The record of one candidate that is a line of such a file; nothing for any other text. `from` is the file
// that the record names as its source.
std::optional<Record> read_result(const std::string& line, const std::filesystem::path& from);

class ResultFile {
 public:
  // `create` refuses a file that has something in it. `resume` reads what is there, or makes the file; a line
  // that was not finished is cut off, unless it is none of a sweep's. Errors: the file is not called *.jsonl
  // or cannot be opened, another sweep writes to it, a line of it is no record. `earlier`: results that lie
  // elsewhere, as if they were in the file.
  static Result<ResultFile> open(const std::filesystem::path& path, ResultMode mode,
                                 std::vector<Record> earlier = {});

  // What was there when the file was opened.
  const std::vector<Record>& before() const { return before_; }
  const std::filesystem::path& path() const { return path_; }
  // The text of a record, without line breaks. It is on the disk when this returns.
  Result<bool> append(const std::string& record);

 private:
  ResultFile(std::filesystem::path path, UniqueFd fd, std::vector<Record> before)
      : path_(std::move(path)), fd_(std::move(fd)), before_(std::move(before)) {}

  std::filesystem::path path_;
  UniqueFd fd_;  // locked
  std::vector<Record> before_;
};

}  // namespace kgrade
