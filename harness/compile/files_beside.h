// What lies beside a candidate in Python and belongs to it: modules, sources of extensions, data. Its worker
// gets copies of these files, and of no others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/own_files.h"

namespace kgrade {

// Together, without the candidate.
inline constexpr std::uint64_t most_bytes_beside = std::uint64_t{16} << 20;
inline constexpr std::size_t most_files_beside = 1000;

// The candidate's file, then the files of its folder that it names, in order of name. A file or folder is
// named if its name, with or without its ending, is a word of the candidate's text, or of a text that is
// named; of a folder all files count, and of folders in it. Not taken: other candidates (files that hold a
// submission of their own), what lies in `excluded` folders, in hidden ones and in build folders of a run,
// links that lead out of the folder, and what goes beyond the bounds above. Names that do not occur in the
// text cost a comparison, so that a folder may hold thousands of candidates. Fails never: what cannot be read
// is passed over.
OwnFiles files_beside(const std::filesystem::path& candidate,
                      const std::vector<std::filesystem::path>& excluded = {});

}  // namespace kgrade
