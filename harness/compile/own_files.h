// What a contestant is made of: its source and the headers of its own folder. Nothing else of the user's may
// be read when it is compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// More than this is no folder of one contestant's own: then none of the headers is taken.
inline constexpr std::size_t most_own_headers = 1000;

// What looks like the contestant's own and may not be read all the same.
struct RefusedFile {
  std::string name;    // relative to the folder; empty: all of them
  std::string reason;  // one sentence
};

struct OwnFiles {
  std::filesystem::path folder;              // absolute, without links
  std::vector<std::filesystem::path> files;  // in `folder`: the source, then the headers in order of name
  std::vector<RefusedFile> refused;
};

// The source and the headers (.h .hh .hpp .hxx .cuh .inl .inc .ipp .tpp .def) of its folder and the folders
// below. Not taken: what lies in `excluded` folders, in hidden ones and in build folders of a run; links that
// lead out of the folder or to something that is no header. One link out is taken: to a header in the folder
// `families` beside that of the source, where solutions keep what several of them share. Fails never: what
// cannot be read is passed over.
OwnFiles own_files(const std::filesystem::path& source,
                   const std::vector<std::filesystem::path>& excluded = {});

// Whether a folder holds the files of a run, this one or another: TemporaryDirectory makes them
// (base/cleanup.cc).
bool is_build_folder(const std::filesystem::path& folder);

// Why a compiler that wrote `log` did not find a header; empty when nothing was refused that it asks for.
std::string why_not_found(const OwnFiles& own, const std::string& log);

// The SHA-256 of the source, as of the plain file when it has no headers; with headers, of all files and the
// names of the headers. An Error names a file that cannot be read.
Result<std::string> hash_of(const OwnFiles& own);

}  // namespace kgrade
