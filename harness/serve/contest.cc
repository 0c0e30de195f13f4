#include "serve/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "grade/run.h"
#include "problem/diagnostics.h"
#include "problem/frontmatter.h"

namespace kgrade {
namespace {

constexpr std::size_t most_problems = 100;
constexpr std::size_t longest_title = 200;
constexpr std::size_t most_hidden_cases = 64;

// Reads the frontmatter of a contest, and collects the errors in it.
class ContestReader {
 public:
  ContestReader(const YamlNode& root, Diagnostics& diagnostics) : root_(root), diagnostics_(diagnostics) {}

  Competition read() {
    Competition contest;
    check_keys(root_, {"title", "start", "end", "effort", "feedback", "hidden", "problems"});
    contest.title = needed(root_, "title", "write `title: My contest`").value_or("");
    if (contest.title.size() > longest_title)
      diagnostics_.add(root_.find("title")->place(), "the title is longer than 200 bytes", "shorten it");
    contest.start = moment("start");
    contest.end = moment("end");
    if (contest.start > 0 && contest.end > 0 && contest.end <= contest.start)
      diagnostics_.add(root_.find("end")->place(), "the contest ends before it starts",
                       "write a later time, or correct the zones");
    if (const auto effort = text(root_, "effort")) {
      if (*effort == "default") contest.effort = Effort::normal;
      if (*effort == "ranked") contest.effort = Effort::ranked;
      if (*effort != "quick" && *effort != "default" && *effort != "ranked")
        diagnostics_.add(root_.find("effort")->place(), "effort is none of quick, default, ranked",
                         "write `effort: quick`, or leave it out");
    }
    usual_.feedback = feedback(root_).value_or(Feedback::verdict);
    usual_.hidden_cases = hidden_cases(root_).value_or(usual_hidden_cases);
    read_problems(contest);
    return contest;
  }

 private:
  void check_keys(const YamlNode& map, const std::vector<std::string>& known) {
    for (const YamlNode& each : map.children) {
      if (std::find(known.begin(), known.end(), each.key) == known.end())
        diagnostics_.add(each.key_location, fmt::format("unknown key {}", in_quotes(each.key)),
                         suggestion_of_known(each.key, known));
    }
  }

  std::optional<std::string> text(const YamlNode& map, const char* key) {
    const YamlNode* const node = map.find(key);
    if (node == nullptr) return std::nullopt;
    if (node->is_scalar() && !node->value.empty()) return node->value;
    diagnostics_.add(node->place(), fmt::format("{} is no text", key), fmt::format("write `{}: ...`", key));
    return std::nullopt;
  }

  std::optional<std::string> needed(const YamlNode& map, const char* key, const char* remedy) {
    if (map.find(key) == nullptr)
      diagnostics_.add(map.location, fmt::format("the key {} is missing", key), remedy);
    return text(map, key);
  }

  double moment(const char* key) {
    const auto said = needed(root_, key, "write a time with its zone, such as 2026-11-30T10:00:00+01:00");
    if (!said) return 0;
    const auto moment = read_moment(*said);
    if (!moment)
      diagnostics_.add(root_.find(key)->place(),
                       fmt::format("{}: {} is no time with a zone", key, in_quotes(*said)),
                       "write it as 2026-11-30T10:00:00+01:00, or in UTC as 2026-11-30T09:00:00Z");
    return moment.value_or(0);
  }

  std::optional<Feedback> feedback(const YamlNode& map) {
    const auto said = text(map, "feedback");
    if (!said) return std::nullopt;
    const auto level = enum_from<Feedback>(*said);
    if (level && *level != Feedback::full) return level;
    diagnostics_.add(map.find("feedback")->place(),
                     fmt::format("feedback: {} is neither verdict nor agent", in_quotes(*said)),
                     level ? "in a contest, `full` would show hidden shapes and seeds: write `agent`"
                           : "write `feedback: verdict` or `feedback: agent`");
    return std::nullopt;
  }

  std::optional<std::size_t> hidden_cases(const YamlNode& map) {
    const auto said = text(map, "hidden");
    if (!said) return std::nullopt;
    std::size_t count = 0;
    const auto [rest, failure] = std::from_chars(said->data(), said->data() + said->size(), count);
    if (failure == std::errc{} && rest == said->data() + said->size() && count >= usual_hidden_cases &&
        count <= most_hidden_cases)
      return count;
    diagnostics_.add(
        map.find("hidden")->place(),
        fmt::format("hidden is no whole number from {} to {}", usual_hidden_cases, most_hidden_cases),
        "it says how many hidden shapes each grade draws; leave it out for the usual number");
    return std::nullopt;
  }

  void read_problems(Competition& contest) {
    const YamlNode* const list = root_.find("problems");
    if (list == nullptr || !list->is_sequence() || list->children.empty() ||
        list->children.size() > most_problems)
      return diagnostics_.add(list == nullptr ? root_.location : list->place(),
                              fmt::format("problems is no list of 1 to {} problems", most_problems),
                              "write `problems: [softmax, relu]`; `kgrade list` shows their names");
    std::set<std::string> seen;
    for (const YamlNode& node : list->children) {
      auto problem = read_problem(node);
      if (!problem) continue;
      if (!seen.insert(problem->slug).second)
        diagnostics_.add(problem->location, fmt::format("{} is listed twice", in_quotes(problem->slug)),
                         "remove one of the two");
      contest.problems.push_back(std::move(*problem));
    }
  }

  // Reads a problem of the contest: a slug, or a map with the slug and options.
  std::optional<ContestProblem> read_problem(const YamlNode& node) {
    ContestProblem problem = usual_;
    problem.location = node.place();
    if (node.is_scalar()) {
      problem.slug = node.value;
      return problem;
    }
    if (!node.is_map()) {
      diagnostics_.add(node.place(), "this is no problem",
                       "write its name, or `- slug: softmax` with `hide`, `hidden` or `feedback` below");
      return std::nullopt;
    }
    check_keys(node, {"slug", "hide", "hidden", "feedback"});
    const auto slug = needed(node, "slug", "write `slug: softmax`");
    const auto own = feedback(node);
    problem.feedback = own.value_or(problem.feedback);
    problem.hidden_cases = hidden_cases(node).value_or(problem.hidden_cases);
    const YamlNode* const hide = node.find("hide");
    const bool is_list = hide != nullptr && hide->is_sequence() &&
                         std::all_of(hide->children.begin(), hide->children.end(),
                                     [](const YamlNode& each) { return each.is_scalar(); });
    if (hide != nullptr && !is_list)
      diagnostics_.add(hide->place(), "hide is no list of roles or names of cases",
                       "write `hide: [test, bench]`, or names of cases");
    for (std::size_t i = 0; is_list && i < hide->children.size(); ++i) {
      problem.hide.push_back(hide->children[i].value);
      problem.hide_locations.push_back(hide->children[i].place());
    }
    if (!problem.hide.empty() && problem.feedback != Feedback::verdict) {
      if (own)
        diagnostics_.add(node.find("feedback")->place(),
                         "more feedback than verdict would name the cases that `hide` hides",
                         "write `feedback: verdict`, or leave out `hide`");
      problem.feedback = Feedback::verdict;
    }
    if (!slug) return std::nullopt;
    problem.slug = *slug;
    problem.location = node.find("slug")->place();
    return problem;
  }

  const YamlNode& root_;
  Diagnostics& diagnostics_;
  ContestProblem usual_;
};

}  // namespace

bool ContestProblem::hides(const CaseSpec& one) const {
  return std::any_of(hide.begin(), hide.end(), [&one](const std::string& word) {
    return word == one.name || word == to_string(one.role);
  });
}

const ContestProblem* Competition::find(std::string_view slug) const {
  const auto at = std::find_if(problems.begin(), problems.end(),
                               [slug](const ContestProblem& problem) { return problem.slug == slug; });
  return at == problems.end() ? nullptr : &*at;
}

std::optional<double> read_moment(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, read = 0;
  const char* at = text.c_str();
  if (text.size() > 30 ||
      std::sscanf(at, "%4d-%2d-%2dT%2d:%2d%n", &year, &month, &day, &hour, &minute, &read) != 5 || read != 16)
    return std::nullopt;
  at += read;
  if (*at == ':') {
    if (std::sscanf(at, ":%2d%n", &second, &read) != 1 || read != 3) return std::nullopt;
    at += read;
  }
  int zone = 0;  // minutes
  if (*at == '+' || *at == '-') {
    int hours = 0, minutes = 0;
    if (std::sscanf(at + 1, "%2d:%2d%n", &hours, &minutes, &read) != 2 || read != 5 || hours > 14 ||
        minutes > 59 || hours < 0 || minutes < 0 || at[6] != '\0')
      return std::nullopt;
    zone = (*at == '-' ? -1 : 1) * (60 * hours + minutes);
  } else if (std::string_view(at) != "Z") {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const bool is_time = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!date.ok() || !is_time || year < 1970) return std::nullopt;
  const auto midnight = std::chrono::sys_days(date).time_since_epoch();
  return std::chrono::duration<double>(midnight).count() + 3600.0 * hour + 60.0 * (minute - zone) + second;
}

Result<Competition> read_contest(std::string_view content, const std::string& file) {
  Diagnostics diagnostics;
  const auto parts = read_frontmatter(content, file, diagnostics);
  if (!parts) return parts.errors();
  if (!parts->root.is_map())
    return Error{"the contest has no keys",
                 "write `title`, `start`, `end` and `problems` between the lines `---`",
                 {file, 1, 1}};
  Competition contest = ContestReader(parts->root, diagnostics).read();
  if (!diagnostics.empty()) return diagnostics.take();
  contest.text = std::string(trimmed(parts->statement));
  return contest;
}

Result<Competition> read_contest(const std::filesystem::path& file) {
  const auto text = read_text_file(file, std::uint64_t{1} << 20);
  if (!text) return text.errors();
  return read_contest(*text, file.string());
}

Failure check_contest(const Competition& contest, const std::map<std::string, Problem>& problems) {
  Errors errors;
  std::vector<std::string> slugs;
  for (const auto& [slug, problem] : problems) slugs.push_back(slug);
  for (const ContestProblem& each : contest.problems) {
    const auto at = problems.find(each.slug);
    if (at == problems.end()) {
      errors.push_back({fmt::format("there is no problem {}", in_quotes(each.slug)),
                        suggestion(each.slug, slugs) + "`kgrade list` shows all", each.location});
      continue;
    }
    std::vector<std::string> known = {"sample", "test", "bench"};
    for (const CaseSpec& one : at->second.cases) known.push_back(one.name);
    for (std::size_t i = 0; i < each.hide.size(); ++i) {
      if (std::find(known.begin(), known.end(), each.hide[i]) == known.end())
        errors.push_back({fmt::format("{} has no case and no role {}", each.slug, in_quotes(each.hide[i])),
                          suggestion_of_known(each.hide[i], known), each.hide_locations[i]});
    }
  }
  return errors.empty() ? Failure() : Failure(errors);
}

}  // namespace kgrade
