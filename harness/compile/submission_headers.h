// Headers that a candidate in Python writes itself and that its extensions include. Compilers cannot see the
// worker's files, so a request carries their texts, and they are laid out again as they were: what names
// another header by `../` finds it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/toolchain.h"

namespace kgrade {

struct SubmissionHeader {
  std::string file;  // "tmp/mine/shared.cuh": its place in the worker, below the root
  std::string text;
};

struct SubmissionHeaders {
  std::vector<std::string> folders;  // where they are looked for, in this order; as places of headers
  std::vector<SubmissionHeader> files;
};

// Of a request's "own_headers". It comes from a candidate: an Error says in one line what cannot be laid out.
Result<SubmissionHeaders> parse_submission_headers(const nlohmann::json& value);

// Writes them below `output`. An Error is the machine's.
Result<bool> write_submission_headers(const SubmissionHeaders& headers, const std::filesystem::path& output);

// Lets a compiler find and read those that were written below the request's output folder.
void add_submission_headers(const SubmissionHeaders& headers, BuildRequest& request);

}  // namespace kgrade
