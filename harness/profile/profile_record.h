// The record of a run of `kgrade profile`, with unrounded numbers, and its printers: JSON and text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check/check_record.h"
#include "profile/kernel_profile.h"
#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

struct ProfiledCandidate {
  std::string path;
  std::string sha256;
  std::optional<LineRange> lines;  // as in CandidateRecord
  // `clean`: the candidate is correct in the case and was profiled.
  CheckStatus status = CheckStatus::clean;
  std::string message;  // why it is not profiled
  std::string compiler_log;
  std::string source;  // of its facts: "nsight_compute", "activity", "emulated_device"; empty: no facts
  std::vector<KernelProfile> kernels;
  std::vector<std::string> other_kernels;  // of libraries, without the candidate's own
  std::optional<double> own_kernel_time_share;
  std::vector<std::string> notes;
};

struct ProfileRecord : RunRecord {
  std::string profiler;          // "ncu", "CUPTI", "emulated device"
  std::string profiler_version;  // of ncu; empty for the others
  std::string case_name;
  std::int64_t tensor_bytes = 0;
  std::optional<std::int64_t> flops;
  std::optional<Ceilings> ceilings;
  // Why there are no counters, and the command that enables them. Unset if there are counters, or if the
  // device has none.
  std::optional<Error> lacks;
  std::vector<ProfiledCandidate> candidates;
};

constexpr int profile_schema_version = 1;

nlohmann::ordered_json to_json(const ProfileRecord& record);
// The schema of these documents: results/profile.schema.json.
nlohmann::ordered_json profile_schema();
std::string to_text(const ProfileRecord& record);

// A table of each candidate's kernels, with the facts and the advice on each kernel. For two candidates, a
// table also shows both beside each other. `verbose`: all kernels, all facts and the compiler's log.
std::string render_table(const ProfileRecord& record, const Style& style, bool verbose);

}  // namespace kgrade
