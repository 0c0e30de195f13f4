#include "check/check_json.h"

#include "record/run_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const std::optional<FindingPlace>& place) {
  if (!place) return nullptr;
  return {{"file", place->file}, {"line", place->line}, {"function", place->function}, {"text", place->text}};
}

Json thread_json(const std::optional<FindingThread>& thread) {
  if (!thread) return nullptr;
  return {{"block", thread->block}, {"thread", thread->thread}};
}

Json wait_json(const FindingWait& wait) {
  return {{"place", place_json(wait.place)},
          {"of_block", wait.barrier},
          {"threads", wait.threads},
          {"first_thread", wait.first},
          {"mask", wait.mask}};
}

Json finding_json(const Finding& finding) {
  Json waits = Json::array();
  for (const FindingWait& wait : finding.waits) waits.push_back(wait_json(wait));
  return {{"kind", finding.kind},
          {"message", finding.message},
          {"remedy", finding.remedy},
          {"place", place_json(finding.place)},
          {"other_place", place_json(finding.other_place)},
          {"kernel", finding.kernel},
          {"thread", thread_json(finding.thread)},
          {"other_thread", thread_json(finding.other_thread)},
          {"waits", waits},
          {"exited_threads", finding.exited},
          {"occurrences", finding.occurrences},
          {"first_case", finding.first_case},
          {"passes", finding.passes}};
}

Json pass_json(const PassRecord& pass) {
  return {{"pass", pass.pass},       {"calls", pass.calls},       {"verdict", to_string(pass.verdict)},
          {"message", pass.message}, {"findings", pass.findings}, {"seconds", pass.seconds}};
}

Json case_json(const CheckedCase& c) {
  Json passes = Json::array();
  for (const PassRecord& pass : c.passes) passes.push_back(pass_json(pass));
  return {{"name", c.name},
          {"role", to_string(c.role)},
          {"tensor_bytes", c.tensor_bytes},
          {"flops", c.flops ? Json(*c.flops) : Json(nullptr)},
          {"run", c.run},
          {"message", c.message},
          {"passes", passes}};
}

Json candidate_json(const CheckedCandidate& candidate) {
  Json findings = Json::array();
  for (const Finding& finding : candidate.findings) findings.push_back(finding_json(finding));
  Json cases = Json::array();
  for (const CheckedCase& c : candidate.cases) cases.push_back(case_json(c));
  return {{"path", candidate.path},
          {"sha256", candidate.sha256},
          {"status", to_string(candidate.status)},
          {"message", candidate.message},
          {"compile", {{"seconds", candidate.compile_seconds}, {"log", candidate.compiler_log}}},
          {"findings", findings},
          {"dropped_findings", candidate.dropped},
          {"cases", cases}};
}

}  // namespace

Json to_json(const CheckRecord& record) {
  Json json = begin_json(record, "kgrade-check", check_schema_version);
  json["checker"] = record.checker;
  json["passes"] = record.passes;
  json["time_limit_seconds"] = record.time_limit_seconds;
  json["notes"] = record.notes;
  json["candidates"] = Json::array();
  for (const CheckedCandidate& candidate : record.candidates)
    json["candidates"].push_back(candidate_json(candidate));
  end_json(json, record);
  return json;
}

std::string to_text(const CheckRecord& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
