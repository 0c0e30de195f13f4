#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profile/profile_record.h"
#include "profile/profiler.h"
#include "record/shared_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json counters_json(const Counters& counters) {
  Json json = Json::object();
  for (const auto& [name, value] : counters) json[name] = value_or_null(value);
  return json;
}

Json place_json(const FindingPlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}, {"text", place.text}};
}

Json advice_json(const Advice& advice) {
  return {{"name", advice.rule},
          {"message", advice.message},
          {"source", advice.source},
          {"place", advice.place ? place_json(*advice.place) : Json(nullptr)}};
}

Json kernel_json(const KernelProfile& kernel) {
  Json json = {{"name", kernel.name},         {"mangled", kernel.mangled}, {"own", kernel.own},
               {"launches", kernel.launches}, {"grid", kernel.grid},       {"block", kernel.block}};
  for (const FactKind& kind : fact_kinds()) {
    const auto fact = kernel.facts.find(kind.name);
    if (fact != kernel.facts.end()) json[std::string(kind.name)] = value_or_null(fact->second);
  }
  const auto& limits = kernel.occupancy_limits;
  json["occupancy_limit"] = limits.empty() ? Json(nullptr) : Json(limits.front());
  json["stalls"] = counters_json(kernel.stalls);
  json["worst_places"] = Json::array();
  for (const WorstPlace& worst : kernel.worst)
    json["worst_places"].push_back(
        {{"what", worst.what}, {"place", place_json(worst.place)}, {"share", worst.share}});
  json["rules"] = Json::array();
  for (const Advice& advice : kernel.advice) json["rules"].push_back(advice_json(advice));
  return json;
}

Json candidate_json(const ProfiledCandidate& candidate) {
  const bool profiled = candidate.status == CheckStatus::clean;
  Json json = {{"path", candidate.path},
               {"sha256", candidate.sha256},
               {"status", profiled ? "profiled" : to_string(candidate.status)},
               {"message", candidate.message},
               {"source", candidate.source.empty() ? Json(nullptr) : Json(candidate.source)},
               {"kernels", Json::array()},
               {"own_kernel_time_share", value_or_null(candidate.own_kernel_time_share)},
               {"other_kernels", candidate.other_kernels},
               {"notes", candidate.notes}};
  for (const KernelProfile& kernel : candidate.kernels) json["kernels"].push_back(kernel_json(kernel));
  if (candidate.lines) json["lines"] = json_of(candidate.lines);
  return json;
}

}  // namespace

Json to_json(const ProfileRecord& record) {
  Json json = begin_json(record, "kgrade-profile", profile_schema_version);
  // What the candidate's process and the tool above it say: nothing here is checked.
  json["attested"] = false;
  json["profiler"] = {{"name", record.profiler}, {"version", record.profiler_version}};
  json["case"] = record.case_name;
  json["tensor_bytes"] = record.tensor_bytes;
  json["flops"] = value_or_null(record.flops);
  const bool counters = record.profiler == "ncu";
  json["replay"] = counters ? Json("kernel") : Json(nullptr);
  json["clock_control"] = counters ? Json("none") : Json(nullptr);
  json["cache_control"] = counters ? Json("all") : Json(nullptr);
  json["ceilings"] = value_or_null(record.ceilings);
  json["lacks"] = record.lacks ? Json{{"message", record.lacks->message}, {"remedy", record.lacks->remedy}}
                               : Json(nullptr);
  json["candidates"] = Json::array();
  for (const ProfiledCandidate& candidate : record.candidates)
    json["candidates"].push_back(candidate_json(candidate));
  end_json(json, record);
  return json;
}

std::string to_text(const ProfileRecord& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
