// The endpoints of a contest, and the endpoints that show clients their rights and the jobs that they have
// sent.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "serve/answers_json.h"
#include "serve/requests.h"
#include "serve/routes.h"

namespace kgrade {
namespace {

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
