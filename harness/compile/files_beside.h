// Finds the files beside a candidate in Python that belong to it: modules, sources of extensions, data. Its
// worker gets copies of these files only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/own_files.h"

namespace kgrade {

// The limits for all files together, except the candidate's own file.
inline constexpr std::uint64_t most_bytes_beside = std::uint64_t{16} << 20;
inline constexpr std::size_t most_files_beside = 1000;

// The candidate's file, then the files of its folder that it names, in order of name. A file or folder is
// named if its name, with or without its ending, is a word in `text` (the candidate's code) or in another
// named file. All files in a named folder and below it are taken. Not taken are: other candidates (files with
// a submission of their own); files in `excluded` folders, in hidden folders, in Python environments and in
// build folders of a run; links that lead out of the folder; files beyond the limits above. A name that does
// not occur in the text costs one comparison, so a folder may hold thousands of candidates. Never fails:
// files that cannot be read are skipped.
OwnFiles files_beside(const std::filesystem::path& candidate, std::string text,
                      const std::vector<std::filesystem::path>& excluded = {});

}  // namespace kgrade
