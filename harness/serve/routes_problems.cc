// The endpoints of problems and contests: the catalogue, uploaded files and boards; the contest, and what
// clients see of their rights and of the jobs that they have sent.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/shared_json.h"
#include "serve/answers_json.h"
#include "serve/requests.h"
#include "serve/routes.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

answers::ListedProblem listed(const Problem& problem) {
  return {problem.slug, problem.title, problem.difficulty, problem.family};
}

answers::Contest contest_answer(const Competition& contest, const Client& client,
                                const std::map<std::string, Problem>& all) {
  const double now = wall_clock();
  const bool shows_problems = contest.has_begun(now) || client.is_teacher;
  answers::Contest answer{contest.title,
                          shows_problems ? contest.text : "",
                          contest.is_over(now)     ? "over"
                          : contest.has_begun(now) ? "running"
                                                   : "before",
                          iso_time(contest.start),
                          iso_time(contest.end),
                          iso_time(now),
                          contest.effort,
                          {}};
  for (const ContestProblem& each : contest.problems) {
    if (shows_problems)
      answer.problems.push_back(
          {each.slug, all.at(each.slug).title, each.feedback, !each.hide.empty(), each.hidden_cases});
  }
  return answer;
}

HttpAnswer no_contest() { return problem_answer({404, "this service holds no contest", 0}); }

}  // namespace

HttpAnswer Routes::problems(const Call& call) const {
  const Client& client = call.client;
  answers::ProblemList list{{}, service_.uploads().list(client.owner)};
  for (const auto& [slug, problem] : service_.problems()) {
    if (service_.shows(client, slug)) list.problems.push_back(listed(problem));
  }
  return json_answer(json_of(list));
}

HttpAnswer Routes::problem(const Call& call) const {
  const Client& client = call.client;
  const std::string& name = call.name;
  if (is_sha256(name)) {
    const OrderedJson file = service_.uploads().find(client.owner, name);
    if (file.is_null())
      return problem_answer({404, "this owner has uploaded no problem with this sha256", 0});
    return json_answer(file);
  }
  const auto at = service_.problems().find(name);
  if (at == service_.problems().end() || !service_.shows(client, name))
    return problem_answer(service_.no_problem(name, client));
  const ContestProblem* const contest =
      service_.is_contestant(client) ? service_.contest()->find(name) : nullptr;
  const Problem& problem = at->second;
  answers::ProblemFile answer{listed(problem),
                              problem.tags,
                              problem.dtypes,
                              std::string(trimmed(problem.statement)),
                              signature(problem),
                              problem.content_sha256,
                              {}};
  for (const CaseSpec& one : problem.cases) {
    if (contest == nullptr || !contest->hides(one))
      answer.cases.push_back({one.name, one.role, scalar_values(problem, one.integers, one.reals)});
  }
  return json_answer(json_of(answer));
}

HttpAnswer Routes::board(const Call& call) const {
  const std::string& slug = call.name;
  if (!service_.problems().contains(slug) || !service_.shows(call.client, slug))
    return problem_answer(service_.no_problem(slug, call.client));
  return json_answer(service_.board_of(slug, call.client.owner));
}

HttpAnswer Routes::put_problem(const Call& call) {
  const std::string& sha256 = call.name;
  const auto wrong = [](const std::string& what) { return problem_answer({400, what, 0}); };
  if (!is_sha256(sha256)) return wrong("the path does not end in a SHA-256 of 64 lower hexadecimal digits");
  const Json json = parsed_json(call.request.body);
  if (json.is_discarded()) return wrong("the request is not JSON, or is nested too deep");
  const auto file = read_problem_file(json);
  if (!file) return wrong(file.error().message);
  if (const auto why = why_not_alone(file->name, file->source)) return wrong(*why);
  if (sha256_hex(file->source) != sha256) return wrong("the path does not have the SHA-256 of `source`");
  const auto stored = service_.uploads().put(call.client.owner, sha256, file->name, file->source);
  switch (stored) {
    case Uploads::Stored::is_new:
    case Uploads::Stored::was_there:
      break;
    case Uploads::Stored::too_many:
      return problem_answer(
          {403,
           fmt::format("an owner may have {} uploaded problems, and {} of them; delete some",
                       Uploads::most_files, format_bytes(Uploads::most_bytes)),
           0});
    case Uploads::Stored::cannot_write:
      return problem_answer({503, "the problem cannot be stored now", 10});
  }
  return json_answer(json_of(answers::StoredProblem{sha256, file->name, file->source.size()}),
                     stored == Uploads::Stored::is_new ? 201 : 200);
}

HttpAnswer Routes::delete_problem(const Call& call) {
  if (!service_.uploads().remove(call.client.owner, call.name))
    return problem_answer({404, "this owner has uploaded no problem with this sha256", 0});
  return json_answer(json_of(answers::RemovedProblem{call.name}));
}

// --- Contests and clients ---

HttpAnswer Routes::me(const Call& call) const {
  const Client& client = call.client;
  answers::Me me{client.owner, tokens_.are_needed(), {}, client.feedback, std::nullopt};
  if (client.may_seed) me.words.push_back("seeds");
  if (client.may_upload) me.words.push_back("problems");
  if (client.is_teacher) me.words.push_back("teacher");
  if (const Competition* const contest = service_.contest())
    me.contest = contest_answer(*contest, client, service_.problems());
  return json_answer(json_of(me));
}

HttpAnswer Routes::list(const Call& call) const {
  const std::string named = call.parameter("owner"), before = call.parameter("before"),
                    limit = call.parameter("limit");
  const std::string owner = named.empty() ? call.client.owner : named;
  if (owner != call.client.owner && !(call.client.is_teacher && service_.contest() != nullptr))
    return problem_answer({403, "only a teacher of a contest may see what others have sent", 0});
  std::size_t most = most_listed;
  const auto [rest, failure] = std::from_chars(limit.data(), limit.data() + limit.size(), most);
  if (!limit.empty() &&
      (failure != std::errc{} || rest != limit.data() + limit.size() || most < 1 || most > most_listed))
    return problem_answer({400, "limit is no whole number from 1 to 200", 0});
  if (!before.empty() && service_.find_for(call.client, before) == nullptr)
    return problem_answer({404, "`before` names no job that this token sees", 0});
  answers::GradeList sent{owner, {}};
  for (const GradeJob* const job : service_.jobs_of(call.client, owner, before, most))
    sent.grades.push_back({iso_time(job->submitted_at), service_.view_of(*job, View::reward)});
  return json_answer(json_of(sent));
}

HttpAnswer Routes::standings(const Call& call) const {
  if (service_.contest() == nullptr) return no_contest();
  return json_answer(service_.standings(call.client, tokens_.students()));
}

HttpAnswer Routes::standings_csv(const Call& call) const {
  if (service_.contest() == nullptr) return no_contest();
  if (!call.client.is_teacher)
    return problem_answer({403, "only a token with `teacher` may see the sources of all", 0});
  return {200, "text/csv", service_.standings_csv(call.client, tokens_.students(), longest_answer_ / 2)};
}

}  // namespace kgrade
