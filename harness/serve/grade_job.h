// A job of a service: one grade that a client asked for, from its request to its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "lanes/lane.h"

namespace kgrade {
namespace answers {
struct Grade;
}

// The priority of a job among the jobs of one owner.
enum class Priority { normal, low };
template <>
inline constexpr std::array<std::string_view, 2> enum_words<Priority> = {"normal", "low"};

// How much a client learns of a job, from the least to everything (docs/service.md). Contests need `verdict`:
// from more feedback, a contestant could reconstruct the hidden tests bit by bit.
enum class Feedback { verdict, agent, full };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<Feedback> = {"verdict", "agent", "full"};

// A request to grade a candidate. Its members are described in docs/service.md.
struct GradeRequest {
  std::string slug;            // of a problem in the catalogue; empty if the request brings its own file
  std::string problem_name;    // "23_Softmax.py": the name of that file
  std::string problem_source;  // its text
  std::string candidate_name;  // "answer.md"
  std::string candidate_source;
  std::map<std::string, std::string> headers;  // files beside the candidate, by name
  GradeSettings settings = [] {
    GradeSettings quick;
    quick.effort = Effort::quick;
    return quick;
  }();
  double run_limit_s = 600;
  double deadline_s = 86400;
  Priority priority = Priority::normal;
  Feedback feedback = Feedback::full;
  std::string group;
  std::string client_ref;

  std::size_t bytes() const;  // of all texts
  // The problem as the client named it.
  const std::string& problem_shown() const { return slug.empty() ? problem_name : slug; }
};

// The members of a request that say how a candidate is graded.
std::vector<std::string_view> grading_members();

// Reads the body of a request. An Error names the member that is wrong. `may_seed`: the client may choose the
// seeds of inputs and hidden shapes, with which a candidate could learn the answers in advance.
Result<GradeRequest> read_request(const nlohmann::json& body, bool may_seed);

// A problem that a client sends, in the form of KernelBench's files.
struct ProblemFile {
  std::string name;    // "23_Softmax.py"
  std::string source;  // its text
};
// Reads {"name", "source"}.
Result<ProblemFile> read_problem_file(const nlohmann::json& json);
// Why a problem that was sent cannot be graded without other files of its public set, and what to send
// instead. Nothing if it may be graded.
std::optional<std::string> why_not_alone(const std::string& name, const std::string& source);

// Jobs with equal keys ask for the same problem under the same conditions, so one lane grades them in one
// run.
std::string batch_key(const GradeRequest& request);

enum class JobState { queued, running, finished, cancelled, expired };
template <>
inline constexpr std::array<std::string_view, 5> enum_words<JobState> = {"queued", "running", "finished",
                                                                         "cancelled", "expired"};

struct GradeJob {
  std::string id;
  std::string owner;
  std::string key;                     // Idempotency-Key; empty if there was none
  std::string body_sha256;             // of the request's text
  std::string body;                    // the request's text; empty when the job has ended
  GradeRequest request;                // without texts when the job has ended
  std::string batch;                   // batch_key() of the request
  Feedback feedback = Feedback::full;  // as the request asks, or the client's most if that is less
  JobState state = JobState::queued;
  double submitted_at = 0;  // seconds since 1970
  double started_at = 0;
  double build_s =
      0;  // how long its build took before a lane began with it; 0: it was built earlier, or later
  double ended_at = 0;
  double expires_at = 0;         // after this time, its result is useless; by the service's clock
  int attempts = 0;              // how often a lane has begun it
  std::string result;            // the reward view as JSON; empty before the end
  std::uint64_t file_bytes = 0;  // of the files of its record and source, after its end
  bool is_contest = false;       // a contestant has sent it

  bool has_ended() const { return state != JobState::queued && state != JobState::running; }
};

// The line of the journal for a job. It says how the job was sent, or how it ended.
std::string job_line(const GradeJob& job);
// Reads a line of job_line(). The request is read, too, if the job has not ended.
Result<GradeJob> read_job_line(const nlohmann::json& line);

// One line of JSON. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

// The value of a client's text. It is_discarded() if the text is not JSON or is nested more than 32 levels
// deep. Functions that copy or write a value are recursive, so a deeply nested value could overflow the
// stack.
nlohmann::json parsed_json(std::string_view text);

// The present time in seconds since 1970. This clock can be set, so it is used only for times of day.
// Durations are measured by the service's clock.
double wall_clock();

// A time in seconds since 1970 as "2026-01-31T12:00:00Z".
std::string iso_time(double seconds);

// The views are in grade_view.cc.

// The data of an event for a job that has not ended.
nlohmann::ordered_json event_of(const GradeJob& job);
// The reward view of a job (docs/service.md). It always has the same members. Members with names that begin
// with untrusted_ hold text of candidates, compilers and problems.
nlohmann::ordered_json reward_view(const GradeJob& job);
// The reward view of a job with a verdict, with the figures of its record.
answers::Grade graded_view(const GradeJob& job, const Record& record);
// The reward view of a job without a verdict. `fault`: "machine", "service", "problem", "expired", or null if
// the client cancelled it.
answers::Grade failed_view(const GradeJob& job, const char* fault, const std::string& reason);
// The reward view of a job whose candidate took longer than the run limit, which counts as a verdict.
answers::Grade overrun_view(const GradeJob& job);
// Reads a reward view. Members that are missing or have another form, as in views of earlier versions, are
// unset.
answers::Grade read_grade(const nlohmann::json& view);
// The agent view of a job that has this record.
nlohmann::ordered_json agent_view(const Record& record, Feedback feedback);
// Removes the members of a reward view that this level of feedback does not show.
void leave_out(answers::Grade& view, Feedback feedback);

}  // namespace kgrade
