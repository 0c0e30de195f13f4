#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <map>

#include "leaderboard/leaderboard_output.h"
#include "leaderboard/page.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_earlier = 50;
constexpr std::size_t most_message_bytes = 400;
constexpr std::size_t shown_hash_digits = 12;

// The beginning of a long text. It does not end in the middle of a character.
std::string clipped(const std::string& text) {
  if (text.size() <= most_message_bytes) return text;
  std::size_t end = most_message_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "\u2026";
}

void leave_out(Json& object, std::initializer_list<const char*> names) {
  for (const char* const name : names) object.erase(name);
}

// The newest of the earlier results. Each has a `speedup` against the row's opponent, which is 0 if there is
// no such speedup, or if the result is in another class.
Json page_history(const LeaderboardRow& row, std::string_view against) {
  Json results = Json::array();
  for (std::size_t i = row.earlier.size() - std::min(row.earlier.size(), most_earlier);
       i < row.earlier.size(); ++i) {
    const LeaderboardResult& result = row.earlier[i];
    const bool same_class = result.candidate().precision == row.newest.candidate().precision;
    const Score* const score = same_class ? score_against(result, against) : nullptr;
    results.push_back({{"measured_at", result.started_at},
                       {"speedup", score == nullptr ? 0 : score->speedup.geometric_mean},
                       {"verdict", to_string(result.candidate().verdict)},
                       {"new_version", result.is_new_version}});
  }
  return results;
}

// Leaves out members that the page does not show, and adds members that only the page needs. `against`: the
// opponent for the row's history.
void fit_row(Json& json, const LeaderboardRow& row, std::string_view against, const PageContext& context) {
  leave_out(json, {"cache", "device_uuid", "git_commit", "problem_sha256", "reference_sha256"});
  json["sha256"] = row.newest.candidate().sha256.substr(0, shown_hash_digits);
  json["message"] = clipped(row.newest.candidate().message);
  for (Json& score : json["scores"]) score.erase("statement");
  if (json.contains("cases")) {
    for (Json& c : json["cases"]) {
      c.erase("bound_by");
      for (Json& compared : c["comparisons"]) leave_out(compared, {"speedup", "interval"});
    }
  }
  json["earlier"] = page_history(row, against);
  const std::string& path = row.newest.candidate().path;
  json["modules"] = row.newest.candidate().is_module();
  json["pytorch"] = row.newest.reference.is_pytorch();
  json["linked"] = !context.links.empty() && (context.is_linked == nullptr || context.is_linked(path));
}

// The problems of the catalogue, and problems that only records name.
Json page_problems(const Leaderboard& leaderboard, const PageContext& context) {
  std::map<std::string, PageProblem> problems;
  for (const PageProblem& problem : context.catalogue) problems[problem.slug] = problem;
  for (const Record* record : newest_records(leaderboard))
    problems.try_emplace(record->problem_slug, PageProblem{record->problem_slug, record->problem_title});
  Json list = Json::array();
  for (const auto& [slug, problem] : problems) {
    list.push_back({{"slug", problem.slug},
                    {"title", problem.title},
                    {"family", problem.family},
                    {"author", problem.author},
                    {"tags", problem.tags},
                    {"statement", context.links.empty() ? "" : problem.statement}});
  }
  return list;
}

class Packer {
 public:
  Json pack(const Json& value) {
    if (value.is_number_float())
      return std::strtod(fmt::format("{:.5e}", value.get<double>()).c_str(), nullptr);
    if (value.is_string()) {
      const auto [place, is_new] = texts_.try_emplace(value.get<std::string>(), texts_.size());
      return is_new ? value : Json(-1 - static_cast<std::int64_t>(place->second));
    }
    if (!value.is_structured()) return value;
    Json packed = Json::array({0});
    std::vector<std::string> names;
    for (const auto& [name, inner] : value.items()) {
      if (value.is_object()) names.push_back(name);
      packed.push_back(pack(inner));
    }
    if (value.is_object()) packed[0] = shapes_.try_emplace(names, 1 + shapes_.size()).first->second;
    return packed;
  }
  // The names of the members of the objects, in the order of their numbers.
  Json shapes() const {
    Json list(shapes_.size(), nullptr);
    for (const auto& [names, number] : shapes_) list[number - 1] = names;
    return list;
  }

 private:
  std::map<std::string, std::size_t> texts_;
  std::map<std::vector<std::string>, std::size_t> shapes_;
};

}  // namespace

Json page_data(const Leaderboard& leaderboard, const PageContext& context) {
  Json json = to_json(leaderboard);
  for (std::size_t i = 0; i < leaderboard.boards.size(); ++i) {
    const Board& board = leaderboard.boards[i];
    for (std::size_t j = 0; j < board.rows.size(); ++j) {
      const LeaderboardRow& row = board.rows[j];
      const Score* const last = row.newest.candidate().headline();
      fit_row(json["boards"][i]["rows"][j], row,
              row.rank ? board.against
              : last   ? last->against
                       : "",
              context);
    }
  }
  for (std::size_t i = 0; i < leaderboard.unmeasured.size(); ++i)
    fit_row(json["unmeasured"][i], leaderboard.unmeasured[i], "", context);
  json["links"] = context.links;
  json["problems"] = page_problems(leaderboard, context);
  return json;
}

Json packed(const Json& json) {
  Packer packer;
  Json value = packer.pack(json);
  return {{"shapes", packer.shapes()}, {"value", std::move(value)}};
}

}  // namespace kgrade
