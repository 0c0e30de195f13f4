// The JSON of the line for agents.
#pragma once

#include "base/json_archive.h"
#include "record/agent_line.h"
#include "record/shared_json.h"

namespace kgrade {

inline constexpr auto agent_stage = one_of("compile", "load", "answers", "speed", "done");

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AgentWrong>& wrong) {
  archive("case", wrong.case_name);
  archive("tensor", wrong.tensor);
  archive("wrong", wrong.wrong);
  archive("elements", wrong.elements);
  archive("never_written", wrong.never_written);
  archive("added_to", wrong.added_to);
  archive("pattern", wrong.pattern);
  std::optional<std::vector<std::int64_t>> index;
  std::optional<std::string> expected, got;
  if (wrong.example) index = wrong.example->index;
  if (wrong.example) expected = wrong.example->expected;
  if (wrong.example) got = wrong.example->got;
  archive.or_default("index", index);
  archive.or_default("expected", expected, "A number, `inf`, `-inf` or `nan`.");
  archive.or_default("got", got, "Like `expected`, or what the kernel did instead, such as `never written`.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AgentSpeedup>& speedup) {
  archive("against", speedup.against);
  archive("geometric_mean", speedup.geometric_mean, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AgentSlowest>& slowest) {
  archive("case", slowest.case_name);
  archive("median_ms", slowest.median_ms, not_negative);
  archive("speedup", slowest.speedup, positive);
  archive("against", slowest.against);
  archive.or_default("roofline_share", slowest.roofline_share, not_negative);
}

// `reason`: the name of the member that says why. It may quote the candidate.
template <class Archive>
void agent_line_fields(Archive& archive, typename Archive::template Value<AgentLine>& line,
                       const char* reason) {
  archive.constant("schema", "kgrade-agent");
  archive("problem", line.problem);
  archive("candidate", line.candidate);
  archive("device", line.device);
  archive("stage", line.stage, agent_stage);
  archive("verdict", line.verdict);
  archive.object("cases", [&](auto& cases) {
    cases("run", line.cases_run);
    cases("all", line.cases);
  });
  archive(reason, line.reason);
  archive("first_wrong", line.first_wrong, "A wrong element of the smallest case that failed.");
  archive("failed_cases_have", line.failed_cases_have);
  archive("speedup", line.speedup);
  archive("slowest_case", line.slowest_case);
  archive("next", line.next, "What to do next, as a sentence.");
  archive("by_set", line.by_set, "The verdict of the set that the problem is from; null if it has no rule.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AgentLine>& line) {
  agent_line_fields(archive, line, "reason");
}

}  // namespace kgrade
