// The endpoints of a contest, and those that show a client what it is and has sent.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "serve/routes.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t most_listed = 200;

OrderedJson contest_json(const Contest& contest, const Client& client,
                         const std::map<std::string, Problem>& all) {
  const double now = wall_clock();
  OrderedJson problems = OrderedJson::array();
  const bool shows_problems = contest.has_begun(now) || client.is_teacher;
  for (const ContestProblem& each : contest.problems) {
    if (!shows_problems) break;
    problems.push_back({{"slug", each.slug},
                        {"title", all.at(each.slug).title},
                        {"feedback", to_string(each.feedback)},
                        {"hides_cases", !each.hide.empty()},
                        {"hidden", each.hidden_cases}});
  }
  return {{"title", contest.title},
          {"text", shows_problems ? contest.text : ""},
          {"state", contest.is_over(now)     ? "over"
                    : contest.has_begun(now) ? "running"
                                             : "before"},
          {"start", iso_time(contest.start)},
          {"end", iso_time(contest.end)},
          {"now", iso_time(now)},
          {"effort", contest.effort == Effort::quick    ? "quick"
                     : contest.effort == Effort::normal ? "default"
                                                        : "ranked"},
          {"problems", problems}};
}

HttpAnswer no_contest() { return problem_answer({404, "this service holds no contest", 0}); }

}  // namespace

HttpAnswer Routes::me(const Call& call) const {
  const Client& client = call.client;
  OrderedJson words = OrderedJson::array();
  if (client.may_seed) words.push_back("seeds");
  if (client.may_upload) words.push_back("problems");
  if (client.is_teacher) words.push_back("teacher");
  const Contest* const contest = service_.contest();
  return json_answer({{"owner", client.owner},
                      {"has_token", tokens_.are_needed()},
                      {"words", words},
                      {"feedback", to_string(client.feedback)},
                      {"contest", contest == nullptr ? OrderedJson()
                                                     : contest_json(*contest, client, service_.problems())}});
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
  OrderedJson grades = OrderedJson::array();
  for (const GradeJob* const job : service_.jobs_of(call.client, owner, before, most)) {
    OrderedJson view = service_.view_of(*job, View::reward);
    grades.push_back({{"sent_at", iso_time(job->submitted_at)}, {"grade", std::move(view)}});
  }
  return json_answer({{"owner", owner}, {"grades", grades}});
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
