// Finds the files of a contestant: its source and the headers in its folder. No other file of the user may be
// read when it is compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// A folder with more headers than this is not one contestant's own. In that case no header is taken.
inline constexpr std::size_t most_own_headers = 1000;

// A file that looks like the contestant's own but may not be read.
struct RefusedFile {
  std::string name;    // relative to the folder; empty: all files
  std::string reason;  // one sentence
};

struct OwnFiles {
  std::filesystem::path folder;              // absolute, without links
  std::vector<std::filesystem::path> files;  // in `folder`: the source, then the headers in order of name
  std::vector<RefusedFile> refused;
};

// The source and the headers (.h .hh .hpp .hxx .cuh .inl .inc .ipp .tpp .def) of its folder and the folders
// below. Not taken are files in `excluded` folders, in hidden folders, in Python environments and in build
// folders of a run, and links that lead out of the folder or to a file that is not a header. There is one
// exception: a link to a header in the folder `families` beside the source's folder is taken, because
// solutions keep shared headers there. Never fails: files that cannot be read are skipped.
OwnFiles own_files(const std::filesystem::path& source,
                   const std::vector<std::filesystem::path>& excluded = {});

// Whether a folder holds the files of this or another run. TemporaryDirectory makes such folders
// (base/cleanup.cc).
bool is_build_folder(const std::filesystem::path& folder);

// Whether a folder is a Python environment, as venv or conda make it.
bool is_python_environment(const std::filesystem::path& folder);

// Why a compiler that wrote `log` did not find a header. Empty if the missing header was not refused.
std::string why_not_found(const OwnFiles& own, const std::string& log);

// The files that count: all except headers in folders below that no file includes, as in the folder of
// another build. If an #include takes its name from a macro, all files count.
std::vector<std::filesystem::path> files_that_count(const OwnFiles& own);

// Without headers, the SHA-256 of the source's file. With headers, the SHA-256 of all files that count and
// the headers' names. An Error names a file that cannot be read.
Result<std::string> hash_of(const OwnFiles& own);
// Like hash_of() above, for a source whose text was already read.
Result<std::string> hash_of(const OwnFiles& own, const std::string& source);

}  // namespace kgrade
