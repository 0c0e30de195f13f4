// What is looked at before anything is started: candidates, cases, memory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/layout.h"
#include "device/device.h"
#include "grade/candidate_run.h"
#include "record/record.h"

namespace kgrade {

struct CandidateSource {
  std::filesystem::path path;
  std::string sha256;
};

// Reads and hashes the candidates, with the headers that each may include. Errors: none given, missing, a
// folder, unreadable, a path that no compiler takes.
Result<std::vector<CandidateSource>> read_candidates(const std::vector<std::filesystem::path>& paths,
                                                     const Layout& layout);

// True when the files are still those that were read: what is compiled must have the record's hash.
bool is_unchanged(const CandidateSource& source, const Layout& layout);

// The cases to run, or all when none is named. Where times are no speed, bench cases are left out unless
// named.
Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const std::vector<std::string>& names,
                                              bool measures_speed);

// An Error for each case whose tensors do not fit into the device's free memory three times over: oracle,
// reference and candidate each hold all of them.
Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device);

// "there is no case X", with the nearest one or all of them.
Error unknown_case(const Problem& problem, const std::string& name);

// The SHA-256 of a reference and of the operators beside it: the file and ops/*.cuh in order of name, one
// after the other.
std::string hash_of_reference(const std::filesystem::path& source);

}  // namespace kgrade
