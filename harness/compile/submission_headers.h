// Headers that a candidate in Python writes and its extensions include. Compilers cannot see the worker's
// files, so a request carries the texts of the headers. They are laid out again in their folders, so that an
// include with `../` works.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/toolchain.h"

namespace kgrade {

class JsonReader;

struct SubmissionHeader {
  std::string file;  // "tmp/mine/shared.cuh": its place in the worker, below the root
  std::string text;
};

struct SubmissionHeaders {
  std::vector<std::string> folders;  // search path, in order; places as in `file`
  std::vector<SubmissionHeader> files;
};

// Reads a request's "own_headers". It comes from a candidate.
void fields(JsonReader& archive, SubmissionHeaders& headers);

// Writes the headers below `output`. An Error is the machine's.
Result<bool> write_submission_headers(const SubmissionHeaders& headers, const std::filesystem::path& output);

// Lets a compiler find and read headers that were written below the request's output folder.
void add_submission_headers(const SubmissionHeaders& headers, BuildRequest& request);

}  // namespace kgrade
