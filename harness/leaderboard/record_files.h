// Reads finished results from files and folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace kgrade {

// The records that were read, and errors for those that could not be read.
struct RecordsRead {
  static constexpr std::size_t most_errors = 10;

  std::vector<Record> records;  // with one candidate each
  // The first files, and lines of .jsonl files, that should be records but are not.
  Errors unreadable;
  std::size_t unreadable_count = 0;
  // For .jsonl files without a line break at the end. Their last line was being written when the sweep was
  // killed. Its result is not among the records.
  Errors unfinished;
};

// Reads the records of a file, in order. The file is a record of `kgrade grade` (with one or more
// candidates), or a .jsonl file with one such record per line, as `kgrade sweep` writes it. For a folder,
// reads all .json and .jsonl files below it, in order of name. In folders, hidden files and files with other
// JSON are ignored. Links to folders are not followed. A record may have 64 MiB.
//
// Broken records are left out and reported. Each Error names the file (and for .jsonl the line) and says what
// is missing or of the wrong type. An Error if there is no such path, or if a folder holds nothing that might
// be a record.
Result<RecordsRead> read_what_can_be(const std::filesystem::path& path);

// Like read_what_can_be(), but any broken record is an Error, and there are at most ten Errors. Text after
// the last line break of a .jsonl file is ignored.
Result<std::vector<Record>> read_records(const std::filesystem::path& path);

// Reads the records of a leaderboard (schema kgrade-leaderboard, version 1). They are the newest results of
// all candidates, with cases but without scores. Nothing if the text is another JSON document.
Result<std::optional<std::vector<Record>>> parse_leaderboard(std::string_view text, const Location& from);

// Like read_what_can_be(), but an Error if all records are broken. Also reads the results of a leaderboard
// from a .json file of up to 1 GiB.
Result<RecordsRead> read_results(const std::filesystem::path& path);

}  // namespace kgrade
