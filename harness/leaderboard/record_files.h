// Finished results from files and folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace kgrade {

// What was read, and what was not.
struct RecordsRead {
  static constexpr std::size_t most_errors = 10;

  std::vector<Record> records;  // of one candidate each
  // Files, and lines of .jsonl files, that ought to be records and are none: the first ones.
  Errors unreadable;
  std::size_t unreadable_count = 0;
  // Of .jsonl files that do not end in a line break: their last line was being written when the sweep was
  // killed. Its result is not among the records.
  Errors unfinished;
};

// Records of a file, in its order: a record of `kgrade grade` (with one or more candidates), or a file of
// such records one a line, as `kgrade sweep` writes it (ending in .jsonl). For a folder, of all .json and
// .jsonl files below it in order of name; there, files that hold JSON but no record are passed over, and
// hidden ones. Links to folders are not followed. A record may have 64 MiB.
//
// What is broken is left out and reported: each Error names the file, for .jsonl with the line, and says what
// is missing or of the wrong type. It is an Error if there is no such path, and if a folder holds nothing
// that might be a record.
Result<RecordsRead> read_what_can_be(const std::filesystem::path& path);

// The same where nothing is broken; what follows the last line break of a .jsonl file is passed over. At most
// ten Errors.
Result<std::vector<Record>> read_records(const std::filesystem::path& path);

// Records of a leaderboard as text (schema kgrade-leaderboard, version 1): of each candidate its newest
// result, with its cases but without scores; nothing for another JSON document.
Result<std::optional<std::vector<Record>>> parse_leaderboard(std::string_view text, const Location& from);

// As read_what_can_be(), but an Error where something is broken; and of a .json file that holds a
// leaderboard, of up to 1 GiB, what that has.
Result<RecordsRead> read_results(const std::filesystem::path& path);

}  // namespace kgrade
