// The answers of the service (docs/service.md), member by member. openapi.json describes these structures
// under the same names.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json_schema.h"
#include "problem/problem.h"
#include "record/agent_line.h"
#include "record/record.h"
#include "serve/grade_job.h"

namespace kgrade {

// The words of requests: the usual effort is called "default".
struct EffortRule {
  static constexpr std::string_view words[] = {"quick", "default", "ranked"};
  Effort operator()(const JsonValue& value) const;
  static nlohmann::ordered_json written(Effort effort) { return words[static_cast<int>(effort)]; }
  static nlohmann::ordered_json schema() { return words_schema({std::begin(words), std::end(words)}); }
};

namespace answers {

// An error as in RFC 9457.
struct Error {
  std::string title;
  int status = 400;
  std::string detail;
  std::optional<int> retry_after;
};

struct ContestProblem {
  std::string slug;
  std::string title;
  Feedback feedback = Feedback::full;
  bool hides_cases = false;
  std::size_t hidden = 0;
};

struct Contest {
  std::string title;
  std::string text;
  std::string state;
  std::string start, end, now;
  Effort effort = Effort::normal;
  std::vector<ContestProblem> problems;
};

struct Me {
  std::string owner;
  bool has_token = false;
  std::vector<std::string> words;
  Feedback feedback = Feedback::full;
  std::optional<Contest> contest;
};

// A speedup. Members that are unset are unknown.
struct Speedup {
  std::optional<double> speedup, low, high;

  std::optional<Interval> interval() const {
    return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
  }
};

struct StandingsCell {
  std::string problem;
  std::size_t attempts = 0;
  std::optional<std::string> solved_at;
  Speedup speedup;
  std::optional<std::string> id;
};

struct StandingsRow {
  std::optional<std::size_t> rank;
  std::string owner;
  bool is_own = false;
  std::size_t solved = 0;
  std::optional<double> speedup;
  std::optional<std::string> last_solved_at;
  std::vector<StandingsCell> cells;
};

struct Standings {
  bool shows_others = false;
  std::vector<StandingsRow> rows;
};

// A candidate as it was sent.
struct Candidate {
  std::string name;
  std::string source;
  std::map<std::string, std::string> headers;
};

struct JobStatus {
  std::string id;
  std::string state;
  std::optional<std::size_t> position;
  std::optional<double> estimate_s;
  std::string doing;
};

struct Figures {
  std::optional<bool> compiled;
  std::optional<bool> correct;
  std::optional<std::int64_t> cases_passed;
  std::optional<std::int64_t> cases;
  std::optional<Precision> precision;
  Speedup speedup;
  std::optional<double> log_speedup;
  std::optional<double> log_standard_error;
  std::optional<std::string> against;
  std::map<std::string, Speedup> by_baseline;
};

struct GradeBoard {
  std::string name;
  Speedup speedup;
};

struct GradeDevice {
  std::string name;
  std::optional<std::string> uuid;
};

struct GradeTool {
  std::string version;
  std::string commit;
};

// The result of a job. It always has the same members, also before the job has ended.
struct Grade {
  std::string id;
  std::string problem;
  std::string candidate;
  std::string client_ref;
  std::string group;
  JobState state = JobState::queued;
  std::optional<std::string> outcome;
  std::optional<std::string> fault;
  bool is_retryable = false;
  std::optional<Verdict> verdict;
  std::optional<std::string> stage;
  std::string reason;
  std::string untrusted_reason;
  bool has_correctness = false;
  bool has_speed = false;
  Figures figures;
  std::optional<GradeBoard> board;
  std::optional<GradeDevice> device;
  std::optional<bool> is_confined;
  std::optional<std::string> problem_sha256;
  std::optional<std::string> candidate_sha256;
  std::optional<GradeTool> tool;
  std::optional<double> queued_s, build_s, run_s;
  int attempts = 0;
  Feedback feedback = Feedback::full;
  std::optional<std::string> expires_at;
};

// A job in a list of jobs. Its grade is kept as JSON.
struct SentGrade {
  std::string sent_at;
  nlohmann::ordered_json grade;
};

struct GradeList {
  std::string owner;
  std::vector<SentGrade> grades;
};

struct AgentLine : kgrade::AgentLine {};

struct StoredProblem {
  std::string sha256;
  std::string name;
  std::size_t bytes = 0;
};

struct RemovedProblem {
  std::string sha256;
};

struct UploadedProblem {
  std::string sha256;
  std::string name;
  std::string source;
};

struct ListedProblem {
  std::string slug;
  std::string title;
  Difficulty difficulty = Difficulty::easy;
  std::string family;
};

struct ProblemList {
  std::vector<ListedProblem> problems;
  std::vector<StoredProblem> uploaded;
};

struct ProblemCase {
  std::string name;
  CaseRole role = CaseRole::test;
  nlohmann::ordered_json parameters;
};

struct ProblemFile : ListedProblem {
  std::vector<std::string> tags;
  std::vector<std::string> dtypes;
  std::string statement;
  std::string signature;
  std::string sha256;
  std::vector<ProblemCase> cases;
};

struct BoardEntry {
  std::optional<std::size_t> rank;
  std::string owner;
  bool is_own = false;
  std::optional<std::string> candidate;
  std::optional<std::string> id;
  Speedup speedup;
  std::optional<std::string> sent_at;
};

struct Board {
  std::string name;
  std::vector<BoardEntry> entries;
};

struct Boards {
  std::string problem;
  bool shows_others = false;
  std::vector<Board> boards;
};

struct Lane {
  std::optional<std::string> name;
  std::string device;
  std::string state;
  double since_s = 0;
  std::optional<std::string> problem;
  std::optional<std::string> job;
  std::string doing;
};

struct Capacity {
  std::vector<Lane> lanes;
  std::size_t queued = 0;
  std::size_t running = 0;
  std::map<std::string, std::size_t> by_owner;
  double grades_per_minute = 0;
  std::string version;
};

// The answer for one job of a batch that was accepted.
struct AcceptedJob {
  std::string id;
  JobState state = JobState::queued;
};
struct RefusedJob {
  Error error;
};
struct BatchAnswer {
  std::vector<nlohmann::ordered_json> items;  // each an AcceptedJob or a RefusedJob
};

// routes.cc writes the lists as text, because their records may be large.
struct WaitAnswer {
  std::vector<nlohmann::ordered_json> finished;
  std::vector<nlohmann::ordered_json> pending;
  std::vector<std::string> unknown;
};

}  // namespace answers

// References to the descriptions of answers and requests, for openapi.json.
using Describe = nlohmann::ordered_json (*)(SchemaDefinitions& definitions);
template <class Answer>
nlohmann::ordered_json described(SchemaDefinitions& definitions) {
  return definitions.reference_to<Answer>();
}
nlohmann::ordered_json any_view(SchemaDefinitions& definitions);
nlohmann::ordered_json request_schema(SchemaDefinitions& definitions);       // in grade_job.cc
nlohmann::ordered_json sent_problem_schema(SchemaDefinitions& definitions);  // in grade_job.cc

}  // namespace kgrade
