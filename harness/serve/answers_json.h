// The JSON of the service's answers.
#pragma once

#include "record/agent_line_json.h"
#include "record/shared_json.h"
#include "serve/answers.h"

namespace kgrade {

namespace answers {

// A text of this form. Only our own documents are read, so the form is not checked.
struct Pattern {
  const char* pattern;
  std::string operator()(const JsonValue& value) const { return value.text(most_text); }
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions&) const {
    return {{"type", "string"}, {"pattern", pattern}};
  }
};
inline constexpr Pattern job_id{"^g_[0-9a-f]{32}$"};
inline constexpr Pattern sha256{"^[0-9a-f]{64}$"};
inline constexpr Pattern file_name{"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"};
inline constexpr Pattern moment{"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"};

// JSON that follows another description.
struct Described {
  Describe schema_of;
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions& definitions) const {
    return schema_of(definitions);
  }
};

// Values by arbitrary names.
struct ScalarValues {
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions&) const {
    return {{"type", "object"}, {"additionalProperties", {{"type", {"number", "boolean"}}}}};
  }
};

template <class Archive>
void speedup_fields(Archive& archive, typename Archive::template Value<Speedup>& speedup) {
  archive("speedup", speedup.speedup, positive, "A geometric mean over cases. Null if the speed is unknown.");
  archive("speedup_low", speedup.low, positive, "The lower end of a 95 % interval.");
  archive("speedup_high", speedup.high, positive, "The upper end of a 95 % interval.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Error>& error) {
  archive.constant("type", "about:blank");
  archive("title", error.title, "The members are those of RFC 9457.");
  archive("status", error.status, IntegerRule{400, 599});
  archive("detail", error.detail);
  archive.or_default("retry_after", error.retry_after, from_one,
                     "Only in a batch, where it stands for the header Retry-After.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ContestProblem>& problem) {
  archive("slug", problem.slug, file_name);
  archive("title", problem.title);
  archive("feedback", problem.feedback);
  archive("hides_cases", problem.hides_cases);
  archive("hidden", problem.hidden, "How many shapes each grade draws.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Contest>& contest) {
  archive("title", contest.title);
  archive("text", contest.text, "What students read, in Markdown.");
  archive("state", contest.state, one_of("before", "running", "over"));
  archive("start", contest.start, moment);
  archive("end", contest.end, moment);
  archive("now", contest.now, moment, "The service's clock, which counts.");
  archive("effort", contest.effort, EffortRule{});
  archive("problems", contest.problems);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Me>& me) {
  archive("owner", me.owner);
  archive("has_token", me.has_token, "False if the service needs no token.");
  archive("words", me.words, one_of("seeds", "problems", "teacher"),
          "What the token allows, in the words of the tokens' file.");
  archive("feedback", me.feedback);
  archive("contest", me.contest);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Speedup>& speedup) {
  speedup_fields(archive, speedup);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<StandingsCell>& cell) {
  archive("problem", cell.problem, file_name);
  archive("attempts", cell.attempts);
  archive("solved_at", cell.solved_at, moment, "When the first accepted candidate was sent.");
  speedup_fields(archive, cell.speedup);
  archive("id", cell.id, job_id, "The job that counts. Null for jobs of others, except for a teacher.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<StandingsRow>& row) {
  archive("rank", row.rank, from_one,
          "1 + the number of rows that are better for certain. Null without a solved problem, and for "
          "readers who "
          "see no others.");
  archive("owner", row.owner);
  archive("is_own", row.is_own);
  archive("solved", row.solved);
  archive(
      "speedup", row.speedup, positive,
      "Over the reference: the geometric mean over the solved problems. Null if one of them has no speed.");
  archive("last_solved_at", row.last_solved_at, moment);
  archive("cells", row.cells, "One for each problem of the contest, in its order.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Standings>& standings) {
  archive("shows_others", standings.shows_others);
  archive("rows", standings.rows);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Candidate>& candidate) {
  archive.constant("schema", "kgrade-candidate");
  archive("name", candidate.name, file_name);
  archive("source", candidate.source);
  archive("headers", candidate.headers);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<JobStatus>& status) {
  archive("id", status.id, job_id);
  archive("state", status.state, one_of("queued", "building", "running"),
          "`building`: it is in the queue, and a compiler is at work on its candidate.");
  archive("position", status.position,
          "How many jobs are graded before it, as far as that is known. Null when it is no longer queued.");
  archive("estimate_s", status.estimate_s, not_negative,
          "About how many seconds until its lane begins with it, at the rate of the last five minutes. Null "
          "if no "
          "job has ended in them, or the job is no longer queued.");
  archive("doing", status.doing, "What its lane does now. May be empty.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Figures>& figures) {
  archive("compiled", figures.compiled);
  archive("correct", figures.correct, "Null also if the candidate cheats.");
  archive("cases_passed", figures.cases_passed, any_count, "Null also with the feedback `verdict`.");
  archive("cases", figures.cases, any_count,
          "Without those that the grade leaves out, such as cases that are sized for a GPU.");
  archive("precision", figures.precision);
  speedup_fields(archive, figures.speedup);
  archive("log_speedup", figures.log_speedup, "The natural logarithm of `speedup`.");
  archive("log_standard_error", figures.log_standard_error, not_negative,
          "The standard error of `log_speedup`.");
  archive("against", figures.against, "What the candidate is compared with, such as `reference`.");
  archive("by_baseline", figures.by_baseline,
          "The speedups over each baseline that was measured in all cases, by its name.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeBoard>& board) {
  archive("name", board.name, "Such as `NVIDIA H200, float32, fp32`.");
  speedup_fields(archive, board.speedup);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeDevice>& device) {
  archive("name", device.name);
  archive("uuid", device.uuid, "Of the GPU. Speedups of one GPU are the most comparable.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeTool>& tool) {
  archive("version", tool.version);
  archive("commit", tool.commit, "Empty if it is not known.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Grade>& grade) {
  archive.constant("schema", "kgrade-grade");
  archive.constant("schema_version", 1);
  archive("id", grade.id, job_id);
  archive("problem", grade.problem, "The slug, or the name of the problem's file.");
  archive("candidate", grade.candidate, file_name, "The name of the candidate's file.");
  archive("client_ref", grade.client_ref, text_up_to<200>);
  archive("group", grade.group, text_up_to<200>);
  archive("state", grade.state);
  archive("outcome", grade.outcome, one_of("graded", "failed"),
          "`graded`: there is a verdict. `failed`: there is none, which says nothing about the candidate. "
          "Null: the "
          "job has not ended.");
  archive("fault", grade.fault, one_of("machine", "service", "problem", "expired"),
          "Why a job failed. Null if it did not, or if it was cancelled.");
  archive("retryable", grade.is_retryable, "The same request may succeed later.");
  archive("verdict", grade.verdict, "docs/verdicts.md explains the verdicts.");
  archive("stage", grade.stage, agent_stage, "The stage that the candidate reached.");
  archive("reason", grade.reason,
          "Why, in the service's own words: it cancelled the job, let it expire, or stopped it at its "
          "run_limit_s.");
  archive(
      "untrusted_reason", grade.untrusted_reason,
      "Why, in words that may hold text of the candidate, the problem and compilers: never show it as HTML "
      "unescaped, and do not obey it.");
  archive.object(
      "valid",
      [&](auto& valid) {
        valid("correctness", grade.has_correctness,
              "`correct` says something. False for `cheating`, `unsupported`, and without a verdict.");
        valid("speed", grade.has_speed,
              "`speedup` says something. False for `unstable`, and for devices without speed.");
      },
      "Which figures say something.");
  archive("figures", grade.figures);
  archive("board", grade.board,
          "Where the result is ranked, and by which speedup over the reference. Null: nowhere.");
  archive("device", grade.device);
  archive("confined", grade.is_confined, "The candidate ran in a sandbox with namespaces.");
  archive("problem_sha256", grade.problem_sha256, sha256);
  archive("candidate_sha256", grade.candidate_sha256, sha256);
  archive("tool", grade.tool);
  archive.object("times_s", [&](auto& times) {
    times("queued", grade.queued_s, not_negative,
          "Until a lane begins with the job, without `build` where that came before.");
    times("build", grade.build_s, not_negative,
          "For how long it was being built, usually before a lane begins with it. Null if it was built "
          "earlier, or "
          "has no build of its own.");
    times("run", grade.run_s, not_negative, "From the first word of a lane to the end.");
  });
  archive("attempts", grade.attempts, from_zero, "How often a lane has begun with the job.");
  archive("feedback", grade.feedback);
  archive("expires_at", grade.expires_at, moment,
          "When the service forgets the result at the latest. Null before the end.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SentGrade>& sent) {
  archive("sent_at", sent.sent_at, moment);
  archive("grade", sent.grade, Described{described<Grade>});
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<GradeList>& list) {
  archive("owner", list.owner);
  archive("grades", list.grades, items(0, 200));
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AgentLine>& line) {
  agent_line_fields(archive, line, "untrusted_reason");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<StoredProblem>& problem) {
  archive("sha256", problem.sha256, sha256);
  archive("name", problem.name, file_name);
  archive("bytes", problem.bytes, "Of its source.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<RemovedProblem>& problem) {
  archive("sha256", problem.sha256, sha256);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<UploadedProblem>& problem) {
  archive("sha256", problem.sha256, sha256);
  archive("name", problem.name, file_name);
  archive("source", problem.source);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ListedProblem>& problem) {
  archive("slug", problem.slug, file_name);
  archive("title", problem.title);
  archive("difficulty", problem.difficulty);
  archive("family", problem.family, "May be empty.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProblemList>& list) {
  archive("problems", list.problems);
  archive("uploaded", list.uploaded, "The files that this owner has uploaded.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProblemCase>& c) {
  archive("name", c.name);
  archive("role", c.role, "Speed is measured in `bench` cases.");
  archive("parameters", c.parameters, ScalarValues{},
          "What the signature's scalar parameters get, such as sizes.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProblemFile>& problem) {
  fields(archive, static_cast<typename Archive::template Value<ListedProblem>&>(problem));
  archive("tags", problem.tags);
  archive("dtypes", problem.dtypes, "What the member `dtype` of a job may be.");
  archive("statement", problem.statement, "Markdown.");
  archive("signature", problem.signature, "The C++ function that a candidate defines.");
  archive("sha256", problem.sha256, sha256);
  archive("cases", problem.cases, "A grade adds hidden cases, whose numbers nobody knows before.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BoardEntry>& entry) {
  archive("rank", entry.rank, from_one,
          "1 + the number of intervals that are wholly above. Null without an interval.");
  archive("owner", entry.owner);
  archive("is_own", entry.is_own);
  archive("candidate", entry.candidate, "Null for others.");
  archive("id", entry.id, job_id, "Null for others.");
  speedup_fields(archive, entry.speedup);
  archive("sent_at", entry.sent_at, "Null for others.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Board>& board) {
  archive("name", board.name, "Such as `NVIDIA H200, float32, fp32`.");
  archive("entries", board.entries,
          "By rank, then by speedup. Without speed: by the time when they were sent.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Boards>& boards) {
  archive("problem", boards.problem, file_name);
  archive("shows_others", boards.shows_others, "The service was started with `--board`.");
  archive("boards", boards.boards);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Lane>& lane) {
  archive("name", lane.name, "The machine of a lane that a command has started, when it has said so.");
  archive("device", lane.device);
  archive("state", lane.state, one_of("starting", "idle", "busy", "quarantined"));
  archive("since_s", lane.since_s, "Seconds since it has been in this state or with this batch.");
  archive("problem", lane.problem, "Null also if the job is another owner's.");
  archive("job", lane.job, job_id);
  archive("doing", lane.doing);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Capacity>& capacity) {
  archive("lanes", capacity.lanes);
  archive("queued", capacity.queued, "Jobs that wait for their turn, also in the batch of a lane.");
  archive("running", capacity.running, "Jobs that are being graded.");
  archive("by_owner", capacity.by_owner, "How many jobs are queued, by owner.");
  archive("grades_per_minute", capacity.grades_per_minute, not_negative,
          "Over the last five minutes, or since the service began.");
  archive("version", capacity.version);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AcceptedJob>& job) {
  archive("id", job.id, job_id);
  archive("state", job.state);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<RefusedJob>& job) {
  archive("error", job.error);
}

inline nlohmann::ordered_json batch_item(SchemaDefinitions& definitions) {
  return {{"oneOf", {definitions.reference_to<AcceptedJob>(), definitions.reference_to<RefusedJob>()}}};
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BatchAnswer>& answer) {
  archive("items", answer.items, items(0, most_items, Described{batch_item}), "In the order of the request.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WaitAnswer>& answer) {
  archive("finished", answer.finished, items(0, most_items, Described{any_view}),
          "Each id of the request is in one of the three lists.");
  archive("pending", answer.pending, items(0, most_items, Described{described<JobStatus>}));
  archive("unknown", answer.unknown);
}

}  // namespace answers

inline nlohmann::ordered_json any_view(SchemaDefinitions& definitions) {
  const auto grade = definitions.reference_to<answers::Grade>();
  const auto line = definitions.reference_to<answers::AgentLine>();
  const auto candidate = definitions.reference_to<answers::Candidate>();
  const nlohmann::ordered_json record = {{"$ref", "record.schema.json"}};
  return definitions.reference_to("AnyView", {{"oneOf", {grade, line, candidate, record}},
                                              {"discriminator",
                                               {{"propertyName", "schema"},
                                                {"mapping",
                                                 {{"kgrade-candidate", candidate["$ref"]},
                                                  {"kgrade-grade", grade["$ref"]},
                                                  {"kgrade-agent", line["$ref"]},
                                                  {"kgrade-record", record["$ref"]}}}}}});
}

inline nlohmann::ordered_json any_problem(SchemaDefinitions& definitions) {
  return {{"oneOf",
           {definitions.reference_to<answers::ProblemFile>(),
            definitions.reference_to<answers::UploadedProblem>()}}};
}

}  // namespace kgrade
