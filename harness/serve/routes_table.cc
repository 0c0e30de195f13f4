// The operations of the service. Requests are dispatched by this table, and openapi.json describes it.
#include "serve/answers_json.h"
#include "serve/requests.h"
#include "serve/routes.h"

namespace kgrade {
namespace {

nlohmann::ordered_json a_text(SchemaDefinitions&) { return {{"type", "string"}}; }
nlohmann::ordered_json an_object(SchemaDefinitions&) { return {{"type", "object"}}; }

}  // namespace

const std::vector<Routes::Route>& Routes::table() {
  using answers::BatchAnswer, answers::Boards, answers::Capacity, answers::Grade, answers::GradeList,
      answers::JobStatus, answers::Me, answers::ProblemList, answers::RemovedProblem, answers::Standings,
      answers::StoredProblem, answers::WaitAnswer;
  // Makes the handler of an operation that answers at once.
  const auto now = [](auto answer_of) {
    return [answer_of](Routes& routes, const Call& call, const Answer& answer) {
      answer((routes.*answer_of)(call));
    };
  };
  constexpr bool for_all = false;
  // Patterns without {...} come first, so that they are used if a path matches two patterns.
  static const std::vector<Route> routes = {
      {"GET",
       "/",
       now(&Routes::page),
       {.id = "page",
        .tag = "service",
        .summary = "The page for browsers. It loads nothing from elsewhere.",
        .answers = {{200, "The page.", a_text, "text/html"}}},
       for_all},
      {"GET",
       "/healthz",
       now(&Routes::health),
       {.id = "health",
        .tag = "service",
        .summary = "Whether a lane can grade.",
        .answers = {{200, "A lane is idle, or was heard of in the last ten minutes.", a_text, "text/plain"},
                    {503, "No lane can grade.", a_text, "text/plain"}}},
       for_all},
      {"GET",
       "/v1/openapi.json",
       now(&Routes::openapi),
       {.id = "description",
        .tag = "service",
        .summary = "This document.",
        .answers = {{200, "A description in OpenAPI 3.1.", an_object}}},
       for_all},
      {"GET",
       "/v1/record.schema.json",
       now(&Routes::record_schema),
       {.id = "recordSchema",
        .tag = "service",
        .summary = "The JSON Schema of records, to which this document refers.",
        .answers = {{200, "A JSON Schema, version 2020-12.", an_object, "application/schema+json"}}},
       for_all},
      {"GET",
       "/metrics",
       now(&Routes::metrics),
       {.id = "metrics",
        .tag = "service",
        .summary = "Counts for Prometheus.",
        .answers = {{200, "Counts in Prometheus's text format 0.0.4.", a_text, "text/plain"}}}},
      {"GET",
       "/v1/capacity",
       now(&Routes::capacity),
       {.id = "capacity",
        .tag = "service",
        .summary = "The lanes and what they do, the queue, and grades per minute.",
        .answers = {{200, "The state of the service.", described<Capacity>}}}},
      {"GET",
       "/v1/events",
       &Routes::events,
       {.id = "events",
        .tag = "jobs",
        .summary = "What happens to the owner's jobs, as server-sent events.",
        .description = "`queued` and `started` have `id`, `problem`, `client_ref`, `group` and `state`; "
                       "`finished` has the Grade of a job that has ended in any way. Each has a number, "
                       "its `id`. `gap` comes first if events after Last-Event-ID may be lost: then ask "
                       "for the jobs. A comment comes after 15 s without an event. The stream begins "
                       "with the number after which its events come, in a block that has no event, and "
                       "it does not end.",
        .headers = {"Last-Event-ID"},
        .answers = {{200, "A stream of events, from now on or after Last-Event-ID.", a_text,
                     "text/event-stream"}}}},
      {"GET",
       "/v1/grades",
       now(&Routes::list),
       {.id = "grades",
        .tag = "jobs",
        .summary = "What an owner has sent, the newest first.",
        .parameters = {"owner", "before", "limit"},
        .answers = {{200, "The jobs that the service still knows.", described<GradeList>}},
        .refusals = {403, 404}}},
      {"POST",
       "/v1/grades",
       &Routes::grades,
       {.id = "submit",
        .tag = "jobs",
        .summary = "Accepts a job.",
        .description = "The answer comes after the job is on the disk. An accepted job is not lost if "
                       "the service is killed.",
        .parameters = {"wait"},
        .headers = {"Idempotency-Key"},
        .body = request_schema,
        .answers = {{200,
                     "The job has ended: in the time of `wait`, or earlier, if the Idempotency-Key "
                     "was used before.",
                     described<Grade>},
                    {202, "The job is accepted and has not ended.", described<JobStatus>}},
        .refusals = {403, 404, 422}}},
      {"POST",
       "/v1/grades/batch",
       &Routes::batch,
       {.id = "submitBatch",
        .tag = "jobs",
        .summary = "Accepts up to 256 jobs.",
        .description = "Each item is accepted or refused alone. The status is 200 even if all items are "
                       "refused. An Idempotency-Key holds for all items: the second request has to have "
                       "them in the same order.",
        .headers = {"Idempotency-Key"},
        .body = batch_schema,
        .answers = {{200, "What became of each item, in the order of the request.",
                     described<BatchAnswer>}}}},
      {"GET",
       "/v1/me",
       now(&Routes::me),
       {.id = "me",
        .tag = "service",
        .summary = "Whose token this is, what it allows, and the contest if the service holds one.",
        .answers = {{200,
                     "The owner. A contest has no `problems` and no `text` for its students before it "
                     "begins.",
                     described<Me>}}}},
      {"GET",
       "/v1/problems",
       now(&Routes::problems),
       {.id = "problems",
        .tag = "problems",
        .summary = "The problems that a job may name.",
        .answers = {{200, "All problems, by slug.", described<ProblemList>}}}},
      {"GET",
       "/v1/standings",
       now(&Routes::standings),
       {.id = "standings",
        .tag = "service",
        .summary = "The standings of the contest over all its problems.",
        .description = "A row is an owner; the best come first. Without `--board`, an owner sees only "
                       "its own row; a teacher sees all. docs/contest.md has the rule.",
        .answers = {{200, "The rows.", described<Standings>}},
        .refusals = {404}}},
      {"GET",
       "/v1/standings.csv",
       now(&Routes::standings_csv),
       {.id = "standingsCsv",
        .tag = "service",
        .summary = "All results of the contest with their sources, as a table for its teacher.",
        .description = "A line for each owner and problem. Needs a token with `teacher`. A text that "
                       "begins with `=`, `+`, `-` or `@` has an apostrophe before it, so that no "
                       "program for tables runs it as a formula.",
        .answers = {{200, "Comma-separated values (RFC 4180) in UTF-8.", a_text, "text/csv"}},
        .refusals = {403, 404}}},
      {"POST",
       "/v1/wait",
       &Routes::wait,
       {.id = "wait",
        .tag = "jobs",
        .summary = "Waits for up to 1024 jobs.",
        .description = "Answers when the first job has ended, or with `until` `all` when every job has, "
                       "or after `timeout_s`. Jobs that the service does not know count as ended. An id "
                       "that is named twice counts once.",
        .body = wait_schema,
        .answers = {{200, "How far each job is.", described<WaitAnswer>}}}},
      {"GET",
       "/v1/grades/{id}",
       &Routes::one_grade,
       {.id = "result",
        .tag = "jobs",
        .summary = "The result of a job, or how far it is.",
        .parameters = {"wait", "view"},
        .answers = {{200, "What `view` asks for. Its member `schema` says which it is.", any_view}},
        .refusals = {404}}},
      {"DELETE",
       "/v1/grades/{id}",
       &Routes::cancel,
       {.id = "cancel",
        .tag = "jobs",
        .summary = "Cancels a job, also one that is being graded.",
        .answers = {{200, "The job is cancelled.", described<Grade>}},
        .refusals = {404, 409}}},
      {"GET",
       "/v1/problems/{problem}",
       now(&Routes::problem),
       {.id = "problem",
        .tag = "problems",
        .summary = "One problem: with its statement, or with its file if this owner has uploaded it.",
        .answers = {{200, "The problem.", any_problem}},
        .refusals = {404}}},
      {"PUT",
       "/v1/problems/{problem}",
       now(&Routes::put_problem),
       {.id = "uploadProblem",
        .tag = "problems",
        .summary = "Stores a problem in one Python file, so that jobs can name it by its SHA-256.",
        .description = "The path ends in the SHA-256 of `source` in UTF-8. Needs a token with "
                       "`problems`, if the service needs tokens. Only its owner sees the file. A "
                       "problem with a reference in CUDA is refused, since references are trusted and "
                       "run outside of the sandbox of candidates.",
        .body = sent_problem_schema,
        .answers = {{200, "The service has the file already.", described<StoredProblem>},
                    {201, "The file is stored, and the disk has it.", described<StoredProblem>}},
        .refusals = {403}}},
      {"DELETE",
       "/v1/problems/{problem}",
       now(&Routes::delete_problem),
       {.id = "deleteProblem",
        .tag = "problems",
        .summary = "Removes an uploaded file. Jobs that were accepted keep their copy.",
        .answers = {{200, "The file is removed.", described<RemovedProblem>}},
        .refusals = {404}}},
      {"GET",
       "/v1/problems/{problem}/board",
       now(&Routes::board),
       {.id = "board",
        .tag = "problems",
        .summary = "The best accepted results for a problem of the catalogue.",
        .description = "Of the jobs that the service still knows, the best one of each candidate's name "
                       "of this owner. If the service was started with `--board`, also the best one of "
                       "each other owner, without its name, id and time. Jobs with `cases`, `seed` or "
                       "`hidden_seed` are left out.",
        .answers = {{200, "One board for each GPU model, type, class of answers, and kind of candidate.",
                     described<Boards>}},
        .refusals = {404}}},
  };
  return routes;
}

}  // namespace kgrade
