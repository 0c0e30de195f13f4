// Finished results from files and folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "leaderboard/entry.h"

namespace kgrade {

// What was read, and what was not.
struct EntriesRead {
  static constexpr std::size_t most_errors = 10;

  std::vector<Entry> entries;
  // Files, and lines of .jsonl files, that ought to be records and are none: the first ones.
  Errors unreadable;
  std::size_t unreadable_count = 0;
  // Of .jsonl files that do not end in a line break: their last line was being written when the sweep was
  // killed. Its result is not among the entries.
  Errors unfinished;
};

// Entries of a file, in its order: a record of `kgrade grade` (with one or more candidates), or a file of
// such records one a line, as `kgrade sweep` writes it (ending in .jsonl). For a folder, of all .json and
// .jsonl files below it in order of name; there, files that hold JSON but no record are passed over, and
// hidden ones. Links to folders are not followed. A record may have 64 MiB.
//
// What is broken is left out and told of: each Error names the file, for .jsonl with the line, and says what
// is missing or of the wrong type. It is an Error if there is no such path, and if a folder holds nothing
// that might be a record.
Result<EntriesRead> read_what_can_be(const std::filesystem::path& path);

// As read_what_can_be(), but an Error where something is broken; and of a .json file that holds a
// leaderboard, of up to 1 GiB, what that has.
Result<EntriesRead> read_results(const std::filesystem::path& path);

}  // namespace kgrade
