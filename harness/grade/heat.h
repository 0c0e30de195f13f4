// A heat: several candidates of one problem, graded side by side. They share the calls of the reference, its
// times alone and the clean-up. Each has its own process, buffers, contents and calls of the oracle.
#pragma once

#include <optional>
#include <vector>

#include "compile/toolchain.h"
#include "grade/candidate_run.h"
#include "record/settings.h"

namespace kgrade {

// A candidate that is built, for the problem's own cases.
struct HeatEntry {
  Session& session;
  std::filesystem::path library;
  CandidateRecord record;
};

struct HeatResult {
  CandidateRecord record;
  // A neighbour could have caused a verdict that is not final: it counts only if the candidate gets it alone,
  // too.
  bool is_final = true;
};

// Returns one result per candidate. Returns no results if the device or one of our own contestants failed;
// then grade the candidates one after the other. `trusted`: a session without a candidate. An Error means
// that the device is not healthy any more.
Result<std::vector<HeatResult>> run_heat(Session& trusted, const std::vector<PlannedCase>& cases,
                                         std::vector<HeatEntry> entries);

// How many candidates have room in these cases, beside oracle and reference; at least 1.
std::size_t room_for_heat(const std::vector<PlannedCase>& cases, std::uint64_t free_bytes, std::size_t most);

}  // namespace kgrade
