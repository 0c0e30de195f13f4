// A candidate, read and parsed once: everything that a run knows of its files before they are compiled.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "compile/own_files.h"
#include "compile/submission.h"
#include "record/record.h"

namespace kgrade {

// Finds the files beside a candidate in Python that belong to it: modules, sources of extensions, data. Its
// worker gets copies of these files only.

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

struct CandidateSource {
  std::filesystem::path path;     // as the user gave it
  Result<Submission> submission;  // an Error if the file is not code, or too large
  // The files that the compiler or worker of the candidate may read: for a candidate in Python the files of
  // files_beside(), for another candidate those of own_files(). Never references, problems or solutions.
  OwnFiles files = {};
  std::string sha256 = {};  // of `files`; if a file is too large: of its beginning and its size
  std::string fault = {};   // why it is not compiled, for its verdict; usually empty
  // group_candidates() sets these. `reference_class` is the class of the problem's reference, or empty if the
  // request asks for the same class. `overruled_class` is the class that the candidate declares, if the
  // request asks for a better one.
  std::string reference_class = {};
  std::string overruled_class = {};

  // Whether a Python worker runs it.
  bool is_python() const { return submission && is_python_candidate(*submission, path); }
  // These judge a candidate in Python by its text alone.
  bool is_module() const;
  bool uses_triton() const;
  // The lines of a document that are graded.
  std::optional<LineRange> lines() const;
};

// Reads and hashes the candidates, with the files that each may include. A candidate with too large a file
// has a fault. Errors: no candidate, a missing or unreadable file, a folder, a path that no compiler takes.
Result<std::vector<CandidateSource>> read_candidates(const std::vector<std::filesystem::path>& paths,
                                                     const Layout& layout);

// How a candidate has changed since it was read: "changed", or "its file sub/a.cuh was removed".
struct Change {
  std::string what;
  std::filesystem::path file;
};

// Compares the files that count with the contents that were read, because the compiled files must have the
// hash in the record. Nothing if they are the same, or else the first difference.
std::optional<Change> change_of(const CandidateSource& source, const Layout& layout);

// Says in one sentence, with its place, why a candidate that is not for a Python worker is not CUDA C++:
// "mine.cu:1: is Python, not CUDA C++; ...". For an empty file it says what to write. Nothing if the file
// should go to the compiler.
std::optional<std::string> why_not_cuda(const CandidateSource& source, const Problem& problem);

// An error's place, message and remedy.
std::string in_one_line(const Error& error);

}  // namespace kgrade
