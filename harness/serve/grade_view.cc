// The views of a job that a service shows (docs/service.md).
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
#include "serve/answers_json.h"
#include "serve/grade_job.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Half the width of a 95 % interval of a normal distribution, in standard errors.
constexpr double normal_95 = 1.959964;

answers::Speedup speedup_of(const SuiteScore& score) {
  answers::Speedup speedup{score.geometric_mean, std::nullopt, std::nullopt};
  if (score.interval) speedup.low = score.interval->low;
  if (score.interval) speedup.high = score.interval->high;
  return speedup;
}

answers::Figures figures_of(const CandidateRecord& candidate) {
  answers::Figures figures;
  figures.compiled = stage_of(candidate) != "compile";
  if (candidate.verdict == Verdict::cheating) return figures;
  figures.correct = candidate.verdict == Verdict::accepted || candidate.verdict == Verdict::unstable;
  figures.cases_passed =
      std::count_if(candidate.cases.begin(), candidate.cases.end(),
                    [](const CaseRecord& c) { return c.run && c.verdict == Verdict::accepted; });
  // Cases that this grade left out, such as cases that are sized for a GPU, do not count.
  const auto is_part = [](const CaseRecord& c) { return c.run || !c.message.ends_with(runs_when_named); };
  figures.cases = std::count_if(candidate.cases.begin(), candidate.cases.end(), is_part);
  figures.precision = candidate.precision;
  for (const Score& each : candidate.by_baseline)
    figures.by_baseline[each.against] = speedup_of(each.speedup);
  const Score* const score = candidate.headline();
  if (score == nullptr) return figures;
  figures.speedup = speedup_of(score->speedup);
  figures.log_speedup = std::log(score->speedup.geometric_mean);
  figures.against = score->against;
  if (const auto& interval = score->speedup.interval)
    figures.log_standard_error = (std::log(interval->high) - std::log(interval->low)) / (2 * normal_95);
  return figures;
}

// The board on which the service ranks a result (serve/boards.h). Only complete, accepted grades of a problem
// of the catalogue are comparable, on inputs that nobody could know. Other results are on no board.
std::optional<answers::GradeBoard> board_of(const GradeRequest& request, const Record& record) {
  const CandidateRecord& candidate = record.candidate();
  const GradeSettings& settings = request.settings;
  if (candidate.verdict != Verdict::accepted || request.slug.empty() || !settings.cases.empty() ||
      settings.seed || settings.hidden_seed ||
      settings.hidden_cases.value_or(usual_hidden_cases) < usual_hidden_cases)
    return std::nullopt;
  answers::GradeBoard board{
      fmt::format("{}, {}, {}{}", device_model(record.device), to_string(record.dtype),
                  to_string(candidate.precision), candidate.is_module() ? ", modules" : ""),
      {}};
  // All results are compared with the reference, whatever baselines each was measured with. Answers of a
  // class below the reference's have no such comparison.
  const auto score = std::find_if(candidate.scores.begin(), candidate.scores.end(),
                                  [](const Score& each) { return each.against == "reference"; });
  if (score != candidate.scores.end()) board.speedup = speedup_of(score->speedup);
  return board;
}

// The grade of a job that has no verdict yet.
answers::Grade begun_grade(const GradeJob& job) {
  const double until = job.has_ended() ? job.ended_at : 0;
  const bool has_started = job.started_at > 0;
  const double waited = (has_started ? job.started_at : until) - job.submitted_at;
  const auto span = [](double from, double to) {
    return to > from ? std::optional(to - from) : std::nullopt;
  };
  answers::Grade grade;
  grade.id = job.id;
  grade.problem = job.request.problem_shown();
  grade.candidate = job.request.candidate_name;
  grade.client_ref = job.request.client_ref;
  grade.group = job.request.group;
  grade.state = job.state;
  grade.queued_s = span(std::min(job.build_s, waited), waited);
  grade.build_s = span(0, job.build_s);
  if (has_started) grade.run_s = span(job.started_at, until);
  grade.attempts = job.attempts;
  grade.feedback = job.feedback;
  return grade;
}

}  // namespace

std::string iso_time(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

OrderedJson event_of(const GradeJob& job) {
  return {{"id", job.id},
          {"problem", job.request.problem_shown()},
          {"client_ref", job.request.client_ref},
          {"group", job.request.group},
          {"state", to_string(job.state)}};
}

OrderedJson reward_view(const GradeJob& job) {
  return job.result.empty() ? json_of(begun_grade(job)) : OrderedJson::parse(job.result);
}

answers::Grade graded_view(const GradeJob& job, const Record& record) {
  answers::Grade grade = begun_grade(job);
  const CandidateRecord& candidate = record.candidate();
  grade.outcome = "graded";
  grade.verdict = candidate.verdict;
  grade.stage = stage_of(candidate);
  grade.untrusted_reason = candidate.message;
  grade.figures = figures_of(candidate);
  grade.has_correctness = candidate.verdict != Verdict::cheating && candidate.verdict != Verdict::unsupported;
  grade.has_speed = candidate.headline() != nullptr;
  if (candidate.verdict == Verdict::accepted && candidate.headline() == nullptr &&
      !candidate.by_baseline.empty())
    grade.reason = fmt::format(
        "no speedup is given: the answers are of class {}, and no contestant of this class was measured in "
        "every case; `baselines`: \"pytorch\" in the request measures one",
        to_string(candidate.precision));
  grade.board = board_of(job.request, record);
  grade.device.emplace().name = record.device.name;
  if (!record.device.uuid.empty()) grade.device->uuid = record.device.uuid;
  grade.is_confined = record.sandbox.confined;
  grade.problem_sha256 = record.problem_sha256;
  grade.candidate_sha256 = candidate.sha256;
  grade.tool = answers::GradeTool{record.tool.version, record.tool.git_commit};
  if (!candidate.compile_cached && candidate.compile_seconds > 0) grade.build_s = candidate.compile_seconds;
  return grade;
}

answers::Grade failed_view(const GradeJob& job, const char* fault, const std::string& reason) {
  answers::Grade grade = begun_grade(job);
  grade.outcome = "failed";
  if (fault != nullptr) grade.fault = fault;
  const std::string_view whose = fault == nullptr ? "" : fault;
  grade.is_retryable = whose == "machine" || whose == "service";
  // If the job was cancelled or has expired, the reason is the service's own text. Any other reason may quote
  // texts of others.
  (whose.empty() || whose == "expired" ? grade.reason : grade.untrusted_reason) = reason;
  return grade;
}

answers::Grade overrun_view(const GradeJob& job) {
  answers::Grade grade = begun_grade(job);
  grade.outcome = "graded";
  grade.verdict = Verdict::time_limit;
  grade.stage = "load";
  grade.reason = fmt::format("building and running it took more than {:g} s, the run_limit_s of the request",
                             job.request.run_limit_s);
  grade.has_correctness = true;
  grade.figures.correct = false;
  grade.figures.cases_passed = 0;
  return grade;
}

answers::Grade read_grade(const nlohmann::json& view) {
  JsonComplaints ignored({}, "");
  answers::Grade grade;
  read_value(JsonValue(view, ignored), grade, AnyValue{}, true);
  return grade;
}

OrderedJson agent_view(const Record& record, Feedback feedback) {
  answers::AgentLine line{agent_line_of(record.candidate(), record)};
  line.next = replace_all(line.next, "`reason`", "`untrusted_reason`");
  // A command that repeats a hidden case contains its seed.
  const CaseRecord* const failed = smallest_failure(record.candidate());
  if (feedback != Feedback::full && failed != nullptr && failed->role == CaseRole::hidden)
    line.next = "fix what `untrusted_reason` says";
  return json_of(line);
}

void leave_out(answers::Grade& view, Feedback feedback) {
  if (feedback != Feedback::verdict) return;
  view.figures.cases_passed.reset();
  // The compiler sees the candidate and nothing of the problem's tests, so its output may be shown.
  if (view.verdict != Verdict::compile_error && view.verdict != Verdict::signature_mismatch)
    view.untrusted_reason = "";
}

}  // namespace kgrade
