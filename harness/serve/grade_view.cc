// What a service says of a job (docs/service.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "grade/case_choice.h"
#include "grade/run.h"
#include "record/advice.h"
#include "record/agent_line.h"
#include "serve/grade_job.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Half the width of a 95 % interval of a normal distribution, in standard errors.
constexpr double normal_95 = 1.959964;

OrderedJson no_figures() {
  return {{"compiled", nullptr},     {"correct", nullptr},
          {"cases_passed", nullptr}, {"cases", nullptr},
          {"precision", nullptr},    {"speedup", nullptr},
          {"speedup_low", nullptr},  {"speedup_high", nullptr},
          {"log_speedup", nullptr},  {"log_standard_error", nullptr},
          {"against", nullptr},      {"by_baseline", OrderedJson::object()}};
}

OrderedJson speedup_of(const SuiteScore& score) {
  const auto& interval = score.interval;
  return {{"speedup", score.geometric_mean},
          {"speedup_low", interval ? OrderedJson(interval->low) : OrderedJson(nullptr)},
          {"speedup_high", interval ? OrderedJson(interval->high) : OrderedJson(nullptr)}};
}

OrderedJson figures_of(const CandidateRecord& candidate) {
  OrderedJson figures = no_figures();
  figures["compiled"] = stage_of(candidate) != "compile";
  if (candidate.verdict == Verdict::cheating) return figures;
  figures["correct"] = candidate.verdict == Verdict::accepted || candidate.verdict == Verdict::unstable;
  figures["cases_passed"] =
      std::count_if(candidate.cases.begin(), candidate.cases.end(),
                    [](const CaseRecord& c) { return c.run && c.verdict == Verdict::accepted; });
  // What the grade leaves out, such as cases that are sized for a GPU, is no part of it.
  const auto is_left_out = [](const CaseRecord& c) { return !c.run && c.message.ends_with(runs_when_named); };
  figures["cases"] =
      candidate.cases.size() -
      static_cast<std::size_t>(std::count_if(candidate.cases.begin(), candidate.cases.end(), is_left_out));
  figures["precision"] = to_string(candidate.precision);
  for (const Score& each : candidate.by_baseline)
    figures["by_baseline"][each.against] = speedup_of(each.speedup);
  const Score* const score = candidate.headline();
  if (score == nullptr) return figures;
  figures.update(speedup_of(score->speedup));
  figures["log_speedup"] = std::log(score->speedup.geometric_mean);
  figures["against"] = score->against;
  if (const auto& interval = score->speedup.interval)
    figures["log_standard_error"] = (std::log(interval->high) - std::log(interval->low)) / (2 * normal_95);
  return figures;
}

// Where the service ranks a result (serve/boards.h). Null: nowhere, since only whole accepted grades of a
// problem of the catalogue are comparable, on inputs that nobody could know.
OrderedJson board_of(const GradeRequest& request, const Record& record) {
  const CandidateRecord& candidate = record.candidate();
  const GradeSettings& settings = request.settings;
  if (candidate.verdict != Verdict::accepted || request.slug.empty() || !settings.cases.empty() ||
      settings.seed || settings.hidden_seed ||
      settings.hidden_cases.value_or(usual_hidden_cases) < usual_hidden_cases)
    return nullptr;
  OrderedJson board = {
      {"name", fmt::format("{}, {}, {}{}", device_model(record.device), to_string(record.dtype),
                           to_string(candidate.precision), candidate.is_module() ? ", modules" : "")}};
  // All are compared with the same opponent, whatever baselines each was measured with. There is no such
  // opponent for answers of a class below the reference's.
  const auto score = std::find_if(candidate.scores.begin(), candidate.scores.end(),
                                  [](const Score& each) { return each.against == "reference"; });
  board.update(score != candidate.scores.end()
                   ? speedup_of(score->speedup)
                   : OrderedJson{{"speedup", nullptr}, {"speedup_low", nullptr}, {"speedup_high", nullptr}});
  return board;
}

}  // namespace

std::string iso_time(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

const char* to_string(Feedback feedback) {
  switch (feedback) {
    case Feedback::verdict:
      return "verdict";
    case Feedback::agent:
      return "agent";
    case Feedback::full:
      return "full";
  }
  return "";
}

std::optional<Feedback> feedback_named(std::string_view name) {
  for (const Feedback each : {Feedback::verdict, Feedback::agent, Feedback::full}) {
    if (name == to_string(each)) return each;
  }
  return std::nullopt;
}

OrderedJson event_of(const GradeJob& job) {
  return {{"id", job.id},
          {"problem", job.request.problem_shown()},
          {"client_ref", job.request.client_ref},
          {"group", job.request.group},
          {"state", to_string(job.state)}};
}

OrderedJson reward_view(const GradeJob& job) {
  if (!job.result.empty()) return OrderedJson::parse(job.result);
  const double until = job.has_ended() ? job.ended_at : 0;
  const bool has_started = job.started_at > 0;
  const double waited = (has_started ? job.started_at : until) - job.submitted_at;
  const auto span = [](double from, double to) {
    return to > from ? OrderedJson(to - from) : OrderedJson(nullptr);
  };
  return {{"schema", "kgrade-grade"},
          {"schema_version", 1},
          {"id", job.id},
          {"problem", job.request.problem_shown()},
          {"candidate", job.request.candidate_name},
          {"client_ref", job.request.client_ref},
          {"group", job.request.group},
          {"state", to_string(job.state)},
          {"outcome", nullptr},
          {"fault", nullptr},
          {"retryable", false},
          {"verdict", nullptr},
          {"stage", nullptr},
          {"reason", ""},
          {"untrusted_reason", ""},
          {"valid", {{"correctness", false}, {"speed", false}}},
          {"figures", no_figures()},
          {"board", nullptr},
          {"device", nullptr},
          {"confined", nullptr},
          {"problem_sha256", nullptr},
          {"candidate_sha256", nullptr},
          {"tool", nullptr},
          {"times_s",
           {{"queued", span(std::min(job.build_s, waited), waited)},
            {"build", job.build_s > 0 ? OrderedJson(job.build_s) : OrderedJson(nullptr)},
            {"run", has_started ? span(job.started_at, until) : OrderedJson(nullptr)}}},
          {"attempts", job.attempts},
          {"feedback", to_string(job.feedback)},
          {"expires_at", nullptr}};
}

OrderedJson graded_view(const GradeJob& job, const Record& record) {
  OrderedJson view = reward_view(job);
  const CandidateRecord& candidate = record.candidate();
  view["outcome"] = "graded";
  view["verdict"] = to_string(candidate.verdict);
  view["stage"] = stage_of(candidate);
  view["untrusted_reason"] = candidate.message;
  view["figures"] = figures_of(candidate);
  view["valid"] = {
      {"correctness", candidate.verdict != Verdict::cheating && candidate.verdict != Verdict::unsupported},
      {"speed", candidate.headline() != nullptr}};
  if (candidate.verdict == Verdict::accepted && candidate.headline() == nullptr &&
      !candidate.by_baseline.empty())
    view["reason"] = fmt::format(
        "no speedup is given: the answers are of class {}, and no contestant of this class was measured in "
        "every case; `baselines`: \"pytorch\" in the request measures one",
        to_string(candidate.precision));
  view["board"] = board_of(job.request, record);
  view["device"] = {
      {"name", record.device.name},
      {"uuid", record.device.uuid.empty() ? OrderedJson(nullptr) : OrderedJson(record.device.uuid)}};
  view["confined"] = record.sandbox.confined;
  view["problem_sha256"] = record.problem_sha256;
  view["candidate_sha256"] = candidate.sha256;
  view["tool"] = {{"version", record.tool.version}, {"commit", record.tool.git_commit}};
  if (!candidate.compile_cached && candidate.compile_seconds > 0)
    view["times_s"]["build"] = candidate.compile_seconds;
  return view;
}

OrderedJson failed_view(const GradeJob& job, const char* fault, const std::string& reason) {
  OrderedJson view = reward_view(job);
  view["outcome"] = "failed";
  if (fault != nullptr) view["fault"] = fault;
  const std::string_view whose = fault == nullptr ? "" : fault;
  view["retryable"] = whose == "machine" || whose == "service";
  // Only the service itself cancels and lets expire. What ends a run otherwise may quote anybody.
  view[whose.empty() || whose == "expired" ? "reason" : "untrusted_reason"] = reason;
  return view;
}

OrderedJson overrun_view(const GradeJob& job) {
  OrderedJson view = reward_view(job);
  view["outcome"] = "graded";
  view["verdict"] = to_string(Verdict::time_limit);
  view["stage"] = "load";
  view["reason"] =
      fmt::format("building and running it took more than {:g} s, the run_limit_s of the request",
                  job.request.run_limit_s);
  view["valid"]["correctness"] = true;
  OrderedJson& figures = view["figures"];
  figures["correct"] = false;
  figures["cases_passed"] = 0;
  return view;
}

OrderedJson agent_view(const Record& record, Feedback feedback) {
  const OrderedJson line = OrderedJson::parse(agent_line(record.candidate(), record), nullptr, false);
  OrderedJson view;
  for (const auto& [name, value] : line.items()) view[name == "reason" ? "untrusted_reason" : name] = value;
  const auto next = line.find("next");
  if (next != line.end() && next->is_string())
    view["next"] = replace_all(next->get<std::string>(), "`reason`", "`untrusted_reason`");
  // A command for a hidden case has its seed.
  const CaseRecord* const failed = smallest_failure(record.candidate());
  if (feedback != Feedback::full && failed != nullptr && failed->role == CaseRole::hidden)
    view["next"] = "fix what `untrusted_reason` says";
  return view;
}

void leave_out(OrderedJson& view, Feedback feedback) {
  if (feedback != Feedback::verdict) return;
  view["figures"]["cases_passed"] = nullptr;
  // The compiler sees the candidate, and nothing of the problem's tests.
  const bool is_of_compiler = view["verdict"] == "compile_error" || view["verdict"] == "signature_mismatch";
  if (!is_of_compiler) view["untrusted_reason"] = "";
}

}  // namespace kgrade
