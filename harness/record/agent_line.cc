#include "record/agent_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "record/advice.h"
#include "record/agent_line_json.h"
#include "record/table.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

// The most bytes of a path or a name. The reason may have four times as many.
constexpr std::size_t usual_length = 150;

std::string cut(std::string text, std::size_t most) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= std::max<std::size_t>(most, 4)) return text;
  return text.substr(0, most - 3) + "...";
}

std::size_t count_run(const CandidateRecord& candidate) {
  return static_cast<std::size_t>(std::count_if(candidate.cases.begin(), candidate.cases.end(),
                                                [](const CaseRecord& c) { return c.run; }));
}

std::optional<AgentWrong> first_wrong(const CandidateRecord& candidate, std::size_t length) {
  const CaseRecord* failed = smallest_failure(candidate);
  if (failed != nullptr && !failed->wrong) failed = smallest_failure(candidate, true);
  if (failed == nullptr || !failed->wrong) return std::nullopt;
  const WrongOutput& wrong = *failed->wrong;
  AgentWrong said{cut(failed->name, length),
                  cut(wrong.tensor, length),
                  wrong.wrong,
                  wrong.elements,
                  wrong.never_written,
                  wrong.added_to,
                  cut(wrong.pattern, length),
                  std::nullopt};
  if (!wrong.examples.empty()) said.example = wrong.examples.front();
  return said;
}

std::string next_step(const CandidateRecord& candidate, const Record& record, const CaseRecord* slowest) {
  const std::vector<std::string> commands = next_commands(candidate, record);
  if (!commands.empty()) return "run `" + commands.front() + "`";
  switch (candidate.verdict) {
    case Verdict::compile_error:
    case Verdict::signature_mismatch:
      return "fix what `reason` says; `kgrade show " + problem_word(record) + "` prints the signature";
    case Verdict::unsupported:
      return "grade it on a GPU, or write it without what `reason` names";
    case Verdict::low_precision:
      return "compute and sum in a wider type; a lower class counts only if it is asked for, with "
             "`precision`";
    case Verdict::unstable:
      return "grade it again when nothing else uses the GPU";
    case Verdict::memory_limit:
      return "take less device memory";
    case Verdict::accepted:
      break;
    case Verdict::wrong_answer:
    case Verdict::runtime_error:
    case Verdict::time_limit:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::cheating:
      return "fix what `reason` says";
  }
  if (slowest == nullptr && candidate.by_baseline.empty()) return "measure its speed on a GPU";
  if (slowest == nullptr) return "measure its speed beside a baseline of its class: --baselines pytorch";
  if (!slowest->roofline) return fmt::format("make case '{}' faster", slowest->name);
  return fmt::format(
      "make case '{}' faster: it reaches {:.0f} % of what the device's memory and arithmetic allow",
      slowest->name, 100 * slowest->roofline->shares.back());
}

AgentLine line_of(const CandidateRecord& candidate, const Record& record, std::size_t length) {
  // Null if no contestant of the candidate's class was measured.
  const CaseRecord* slowest = nullptr;
  if (candidate.headline() != nullptr) {
    for (const CaseRecord* const c : compared_cases(candidate))
      if (slowest == nullptr || c->headline()->ratio.ratio < slowest->headline()->ratio.ratio) slowest = c;
  }
  AgentLine line{cut(record.problem_slug, length),
                 cut(candidate.path, length),
                 cut(record.device.name, length),
                 stage_of(candidate),
                 candidate.verdict,
                 count_run(candidate),
                 candidate.cases.size(),
                 cut(candidate.message, 4 * length),
                 first_wrong(candidate, length),
                 cut(shared_by_failures(candidate), length),
                 std::nullopt,
                 std::nullopt,
                 cut(next_step(candidate, record, slowest), 2 * length)};
  if (candidate.by_set) line.by_set = candidate.by_set->verdict;
  if (const Score* const score = candidate.headline())
    line.speedup = AgentSpeedup{score->against, score->speedup.geometric_mean};
  if (slowest == nullptr) return line;
  const Speedup& speedup = *slowest->headline();
  line.slowest_case = AgentSlowest{cut(slowest->name, length), slowest->candidate().summary.median,
                                   speedup.ratio.ratio, cut(speedup.against, length), std::nullopt};
  if (slowest->roofline) line.slowest_case->roofline_share = slowest->roofline->shares.back();
  return line;
}

std::string text_of(const AgentLine& line) {
  return json_of(line).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string stage_of(const CandidateRecord& candidate) {
  switch (candidate.verdict) {
    case Verdict::accepted:
      return "done";
    case Verdict::compile_error:
    case Verdict::unsupported:
    case Verdict::signature_mismatch:
      return "compile";
    case Verdict::unstable:
      return "speed";
    case Verdict::wrong_answer:
    case Verdict::low_precision:
    case Verdict::runtime_error:
    case Verdict::time_limit:
    case Verdict::memory_limit:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::cheating:
      break;
  }
  return count_run(candidate) > 0 ? "answers" : "load";
}

AgentLine agent_line_of(const CandidateRecord& candidate, const Record& record) {
  std::size_t length = usual_length;
  AgentLine line = line_of(candidate, record, length);
  while (text_of(line).size() > longest_agent_line && length > 8)
    line = line_of(candidate, record, length /= 2);
  return line;
}

std::string agent_line(const CandidateRecord& candidate, const Record& record) {
  return text_of(agent_line_of(candidate, record));
}

}  // namespace kgrade
