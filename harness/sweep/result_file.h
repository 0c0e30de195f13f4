// The results file of a sweep. Each line is a record of `kgrade grade` with one candidate. A record is
// appended as soon as it is available. However the sweep ends, at most the line being written is lost.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "record/record.h"

namespace kgrade {

// Lines of a results file that are not records. A full disk can leave such lines.
struct SkippedLines {
  Error first;
  std::size_t count = 0;
  bool empty() const { return count == 0; }
};

enum class ResultMode { create, resume, overwrite };

// The record of one candidate from a line of a results file. Nothing for any other text. `from` is the file
// that the record names as its source.
std::optional<Record> read_result(const std::string& line, const std::filesystem::path& from);

class ResultFile {
 public:
  // `create` refuses a file with contents. `resume` reads the file, or makes it. It cuts off an unfinished
  // line if a sweep wrote the line. It skips broken lines, which stay in the file. Errors: the file is not
  // called *.jsonl or cannot be opened, another sweep writes to it, or it has lines and no record.
  static Result<ResultFile> open(const std::filesystem::path& path, ResultMode mode);

  // The records in the file when it was opened.
  const std::vector<Record>& before() const { return before_; }
  const SkippedLines& skipped() const { return skipped_; }
  const std::filesystem::path& path() const { return path_; }
  // Appends a record, given as text without line breaks. It is on the disk when this returns.
  Result<bool> append(const std::string& record);

 private:
  ResultFile(std::filesystem::path path, UniqueFd fd, std::vector<Record> before, SkippedLines skipped)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        before_(std::move(before)),
        skipped_(std::move(skipped)) {}

  std::filesystem::path path_;
  UniqueFd fd_;  // locked
  std::vector<Record> before_;
  SkippedLines skipped_;
};

}  // namespace kgrade
