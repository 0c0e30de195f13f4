#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "check/finding.h"
#include "profile/profile_record.h"
#include "profile/profiler.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Advice>& advice) {
  archive("name", advice.rule, slug_of);
  archive("message", advice.message, text_up_to<300>);
  archive("source", advice.source, "The section of NVIDIA's document that the rule comes from.");
  archive("place", advice.place);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WorstPlace>& worst) {
  archive("what", worst.what, one_of("loads", "stores", "shared", "stall"));
  archive("place", worst.place);
  archive("share", worst.share, share_of_one, "Of all of it.");
}

// A fact is left out if its source does not have it, and null if the counter was not a number.
template <class Archive>
void fact_fields(Archive& archive, const Counters& facts) {
  for (const FactKind& kind : fact_kinds()) {
    const auto found = facts.find(kind.name);
    std::optional<std::optional<double>> fact;
    if (found != facts.end()) fact = found->second;
    const std::string description =
        fmt::format("{}{}{}", kind.label, kind.unit.empty() ? "" : ", in ", kind.unit);
    archive.or_default(kind.name.data(), fact, AnyValue{}, description.c_str());
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<KernelProfile>& kernel) {
  archive("name", kernel.name, "Demangled, without parameters.");
  archive("mangled", kernel.mangled, "As the binary names it. Empty on the emulated device.");
  archive("own", kernel.own, "False for a kernel of a library, such as PyTorch's.");
  archive("launches", kernel.launches, from_one,
          "In the profiled call, with this grid and block. The facts are of all of them.");
  archive("grid", kernel.grid, any_count);
  archive("block", kernel.block, any_count);
  fact_fields(archive, kernel.facts);
  std::optional<std::string> limit;
  if (!kernel.occupancy_limits.empty()) limit = kernel.occupancy_limits.front();
  archive("occupancy_limit", limit, one_of("registers", "shared_memory", "blocks", "warps"),
          "What allows the fewest blocks: the first of several that allow the same number.");
  archive("stalls", kernel.stalls,
          "By reason: cycles between two instructions of a warp in which it waited.");
  archive("worst_places", kernel.worst);
  archive("rules", kernel.advice);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProfiledCandidate>& candidate) {
  archive("path", candidate.path);
  archive("sha256", candidate.sha256, sha256_of);
  const bool is_profiled = candidate.status == CheckStatus::clean;
  const std::string status(is_profiled ? "profiled" : to_string(candidate.status));
  archive("status", status,
          one_of("profiled", "findings", "compile_error", "signature_mismatch", "unsupported"),
          "`findings` means that it is wrong in the case, or fails there.");
  archive("message", candidate.message, "Why it was not profiled. Empty if it was.");
  std::optional<std::string> source;
  if (!candidate.source.empty()) source = candidate.source;
  archive("source", source, one_of("nsight_compute", "activity", "emulated_device"),
          "Of the facts. `activity` means CUPTI's records, without counters. Null if there are no facts.");
  archive("kernels", candidate.kernels);
  archive("own_kernel_time_share", candidate.own_kernel_time_share, share_of_one,
          "Of the time of all kernels of the call.");
  archive("other_kernels", candidate.other_kernels);
  archive("notes", candidate.notes);
  archive.or_default("lines", candidate.lines, lines_rule, about_lines);
}

// Why there are no counters.
template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Error>& lack) {
  archive("message", lack.message);
  archive("remedy", lack.remedy);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProfileRecord>& record) {
  kind_fields(archive, "kgrade-profile", profile_schema_version);
  run_begin_fields(archive, record, [](auto&) {});
  // The figures come from the candidate's process and from the tool that runs it. None of them is checked.
  archive.constant("attested", false);
  archive.object("profiler", [&](auto& profiler) {
    profiler("name", record.profiler, one_of("ncu", "CUPTI", "emulated device"));
    profiler("version", record.profiler_version);
  });
  archive("case", record.case_name);
  archive("tensor_bytes", record.tensor_bytes, any_count);
  archive("flops", record.flops, any_count);
  const auto of_ncu = [&](const char* word) {
    return record.profiler == "ncu" ? std::optional<std::string>(word) : std::nullopt;
  };
  archive.derived("replay", of_ncu("kernel"), one_of("kernel"));
  archive.derived("clock_control", of_ncu("none"), one_of("none"), "Clocks are as in a measured call.");
  archive.derived("cache_control", of_ncu("all"), one_of("all"), "Caches are cold before each kernel.");
  archive("ceilings", record.ceilings, "The rates that the device was measured to reach. Null if unknown.");
  archive("lacks", record.lacks, "Why there are no counters, and what gives them.");
  archive("candidates", record.candidates, items(1));
  run_end_fields(archive, record);
}

Json to_json(const ProfileRecord& record) { return json_of(record); }

Json profile_schema() {
  return schema_document<ProfileRecord>(
      fmt::format("kgrade profile, version {}", profile_schema_version),
      "What one run of `kgrade profile` counted. The candidate's own process could have forged all of it.");
}

std::string to_text(const ProfileRecord& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
