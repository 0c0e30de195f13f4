#include "leaderboard/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "base/statistics.h"
#include "record/shared_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_earlier = 50;
constexpr std::size_t most_message_bytes = 400;
constexpr std::size_t most_solutions = 12;
constexpr std::size_t shown_hash_digits = 12;

constexpr const char* columns[] = {"id",     "candidate", "solution",  "rank",   "rank_worst", "tied",
                                   "why",    "verdict",   "precision", "sha256", "measured",   "version",
                                   "effort", "file",      "linked",    "scores", "ms",         "share",
                                   "flops",  "bytes",     "cases",     "earlier"};

double six_digits(double value) { return std::strtod(fmt::format("{:.5e}", value).c_str(), nullptr); }

// Of "2026-01-02T03:04:05Z". 0 for another text.
std::int64_t seconds_of(const std::string& moment) {
  using namespace std::chrono;
  int y = 0;
  unsigned mo = 0, d = 0, h = 0, mi = 0, s = 0;
  if (std::sscanf(moment.c_str(), "%d-%u-%uT%u:%u:%uZ", &y, &mo, &d, &h, &mi, &s) != 6) return 0;
  const sys_days day = year{y} / month{mo} / std::chrono::day{d};
  return duration_cast<seconds>(day.time_since_epoch()).count() + h * 3600 + mi * 60 + s;
}

// Texts in the order in which they first occur.
class Texts {
 public:
  std::size_t place_of(const std::string& text) {
    const auto [place, is_new] = places_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> list_;
};

// Does not end in the middle of a character.
std::string clipped(const std::string& text) {
  if (text.size() <= most_message_bytes) return text;
  std::size_t end = most_message_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "\u2026";
}

// The baselines of a result, each once: "cudnn-fp32, cublas-tf32".
std::string baselines_text(const Record& record) {
  std::set<std::string> names;
  for (const CaseRecord* c : compared_cases(record.candidate())) {
    if (c->speedups.size() > 1) names.insert(c->headline()->against);
  }
  return names.empty() ? "baseline" : fmt::format("{}", fmt::join(names, ", "));
}

// PyTorch as the reference is a library, which the page says.
std::string name_of(const Record& record, std::string_view against) {
  if (against == against_baseline) return baselines_text(record);
  return record.reference.is_pytorch() ? "PyTorch" : std::string(against);
}

// Why a row has no rank, or what was wrong.
std::string why(const LeaderboardRow& row) {
  const Record& record = row.newest;
  if (!row.unranked_because.empty()) return row.unranked_because;
  if (row.rank || record.candidate().verdict != Verdict::accepted) return clipped(record.candidate().message);
  return record.device.measures_speed ? "no speed was measured" : "the emulated device measures no speed";
}

class PageRows {
 public:
  explicit PageRows(const PageContext& context) : context_(context) {}

  // `against`: what the row's history is compared with.
  Json row(const LeaderboardRow& row, std::string_view against) {
    const Record& record = row.newest;
    const CandidateRecord& candidate = record.candidate();
    Json json = {row.id,
                 candidate.path,
                 text(row.solution),
                 row.rank ? row.rank->best : 0,
                 row.rank ? row.rank->worst : 0,
                 row.tied ? 1 : 0,
                 text(why(row)),
                 text(std::string(to_string(candidate.verdict))),
                 text(std::string(to_string(candidate.precision))),
                 candidate.sha256.substr(0, shown_hash_digits),
                 seconds_of(record.started_at),
                 text(record.tool.version),
                 text(std::string(to_string(record.effort))),
                 text(record.read_from.file),
                 is_linked(candidate.path) ? 1 : 0,
                 scores(record)};
    add_work(json, record);
    json.push_back(earlier(row, against));
    return json;
  }

  bool is_linked(const std::string& path) const {
    return !context_.links.empty() && (context_.is_linked == nullptr || context_.is_linked(path));
  }
  const std::vector<std::string>& texts() const { return texts_.list(); }

 private:
  std::size_t text(const std::string& text) { return texts_.place_of(text); }

  // [place of the name, speedup, low, high]: against the reference, then against the baseline.
  Json scores(const Record& record) {
    Json scores = Json::array();
    for (const std::string_view against : {against_reference, against_baseline}) {
      const Score* const score = score_against(record, against);
      // The first place is the reference's, even if its score does not count.
      if (score == nullptr && against == against_reference && record.candidate().headline() != nullptr) {
        scores.push_back({text(name_of(record, against)), 0});
        continue;
      }
      if (score == nullptr) break;
      Json one = {text(name_of(record, against)), six_digits(score->speedup.geometric_mean)};
      if (const auto& interval = score->speedup.interval) {
        one.push_back(six_digits(interval->low));
        one.push_back(six_digits(interval->high));
      }
      scores.push_back(std::move(one));
    }
    return scores;
  }

  // Sums over the measured cases, the geometric mean of their shares of the roofline, and each case.
  void add_work(Json& json, const Record& record) {
    double ms = 0, flops = 0, bytes = 0;
    bool knows_flops = true;
    std::vector<double> shares;
    Json cases = Json::array();
    for (const CaseRecord* c : compared_cases(record.candidate())) {
      ms += c->candidate().summary.median;
      bytes += static_cast<double>(c->tensor_bytes);
      flops += static_cast<double>(c->flops.value_or(0));
      knows_flops = knows_flops && c->flops.has_value();
      shares.push_back(c->roofline ? c->roofline->shares.back() : 0);
      cases.push_back({text(c->name), six_digits(c->candidate().summary.median)});
    }
    const bool knows_shares =
        !shares.empty() && std::all_of(shares.begin(), shares.end(), [](double share) { return share > 0; });
    json.push_back(six_digits(ms));
    json.push_back(knows_shares ? six_digits(geometric_mean(shares)) : 0);
    json.push_back(knows_flops ? six_digits(flops) : 0);
    json.push_back(six_digits(bytes));
    json.push_back(std::move(cases));
  }

  Json earlier(const LeaderboardRow& row, std::string_view against) {
    Json results = Json::array();
    const std::size_t first = row.earlier.size() - std::min(row.earlier.size(), most_earlier);
    for (std::size_t i = first; i < row.earlier.size(); ++i) {
      const Record& record = row.earlier[i];
      const bool same_class = record.candidate().precision == row.newest.candidate().precision;
      const Score* const score = same_class ? score_against(record, against) : nullptr;
      results.push_back(
          {seconds_of(record.started_at), score == nullptr ? 0 : six_digits(score->speedup.geometric_mean),
           text(std::string(to_string(record.candidate().verdict))),
           (i + 1 < row.earlier.size() ? row.earlier[i + 1] : row.newest).is_new_version ? 1 : 0});
    }
    return results;
  }

  const PageContext& context_;
  Texts texts_;
};

// Problem, element type, device, class, and whether of modules.
using BoardKey = std::tuple<std::string, Dtype, std::string, Precision, bool>;

Json page_board(const BoardKey& key) {
  const auto& [slug, dtype, device, precision, modules] = key;
  return {{"problem", slug},
          {"dtype", to_string(dtype)},
          {"device", device},
          {"precision", to_string(precision)},
          {"modules", modules},
          {"against", ""},
          {"baselines", Json::array()},
          {"rows", Json::array()}};
}

// The boards. What has no speed is on the board of the class that was asked for.
Json page_boards(const Leaderboard& leaderboard, PageRows& rows) {
  std::map<BoardKey, Json> boards;
  const auto board_of = [&boards](const BoardKey& key) -> Json& {
    return boards.try_emplace(key, page_board(key)).first->second;
  };
  for (const Board& board : leaderboard.boards) {
    Json& json = board_of({board.slug, board.dtype, board.device, board.precision, board.modules});
    json["against"] = board.against;
    json["baselines"] = board.baselines;
    for (const LeaderboardRow& row : board.rows) {
      const Score* const last = row.newest.candidate().headline();
      json["rows"].push_back(rows.row(row, row.rank ? board.against : last ? last->against : ""));
    }
  }
  for (const LeaderboardRow& row : leaderboard.unmeasured) {
    const Record& record = row.newest;
    const Precision precision = record.candidate().verdict == Verdict::accepted ? record.candidate().precision
                                                                                : record.required_precision;
    Json& json = board_of(
        {record.problem_slug, record.dtype, record.device.name, precision, record.candidate().is_module()});
    json["rows"].push_back(rows.row(row, ""));
  }
  Json list = Json::array();
  for (auto& [key, json] : boards) list.push_back(std::move(json));
  return list;
}

// The catalogue, and the problems that only records name.
Json page_problems(const Leaderboard& leaderboard, const PageContext& context) {
  std::map<std::string, Json> problems;
  for (const PageProblem& problem : context.catalogue) {
    problems[problem.slug] = {
        {"slug", problem.slug},     {"title", problem.title},
        {"family", problem.family}, {"author", problem.author},
        {"tags", problem.tags},     {"statement", context.links.empty() ? "" : problem.statement}};
  }
  for (const Record* record : newest_records(leaderboard)) {
    problems.try_emplace(record->problem_slug, Json{{"slug", record->problem_slug},
                                                    {"title", record->problem_title},
                                                    {"family", ""},
                                                    {"author", ""},
                                                    {"tags", Json::array()},
                                                    {"statement", ""}});
  }
  Json list = Json::array();
  for (auto& [slug, json] : problems) list.push_back(std::move(json));
  return list;
}

Json page_devices(const Leaderboard& leaderboard) {
  Json devices = Json::array();
  for (const LeaderboardDevice& device : leaderboard.devices) {
    Json json = {{"name", device.name}, {"speed", device.times_are_speed}, {"ceilings", nullptr}};
    if (const auto& ceilings = device.ceilings) {
      const Json all = json_of(ceilings);
      for (const char* key : {"copy_bytes_per_second", "fp32_flops_per_second", "tf32_flops_per_second",
                              "bf16_flops_per_second"})
        json["ceilings"][key] = six_digits(all.at(key).get<double>());
    }
    devices.push_back(std::move(json));
  }
  return devices;
}

Json page_shares(const std::map<double, double>& fast_p) {
  Json json = Json::object();
  for (const auto& [p, share] : fast_p) json[fmt::format("{}", p)] = six_digits(share);
  return json;
}

Json page_suite(const Suite& suite) {
  Json json = {{"device", suite.device},
               {"dtype", to_string(suite.dtype)},
               {"precision", to_string(suite.precision)},
               {"modules", suite.modules},
               {"against", suite.against},
               {"cache", suite.cache},
               {"problems", suite.problems},
               {"degenerate", suite.degenerate},
               {"solutions", suite.rows.size()},
               {"rows", Json::array()}};
  for (const SuiteRow& row : suite.rows) {
    if (json["rows"].size() == most_solutions) break;
    Json speedups = Json::array();
    for (const double speedup : row.speedups) speedups.push_back(six_digits(speedup));
    json["rows"].push_back({{"solution", row.solution},
                            {"accepted", row.accepted},
                            {"geometric_mean", six_digits(row.score.geometric_mean)},
                            {"interval", json_of(row.score.interval)},
                            {"fast_p", page_shares(row.fast_p)},
                            {"fast_p_without_degenerate", page_shares(row.fast_p_without_degenerate)},
                            {"speedups", std::move(speedups)}});
  }
  return json;
}

Json page_run(const SampledRun& run) {
  return {{"run", run.run},
          {"level", run.level ? Json(*run.level) : Json(nullptr)},
          {"device", run.device},
          {"problems", run.problems},
          {"samples", run.samples},
          {"accepted", run.accepted},
          {"pass_at_k", pass_at_k_text(run)}};
}

}  // namespace

Json page_data(const Leaderboard& leaderboard, const PageContext& context) {
  PageRows rows(context);
  Json json = {{"links", context.links},
               {"devices", page_devices(leaderboard)},
               {"problems", page_problems(leaderboard, context)},
               {"columns", columns},
               {"boards", page_boards(leaderboard, rows)},
               {"suites", Json::array()},
               {"runs", Json::array()}};
  for (const Suite& suite : leaderboard.suites) json["suites"].push_back(page_suite(suite));
  for (const SampledRun& run : leaderboard.runs) json["runs"].push_back(page_run(run));
  json["texts"] = rows.texts();
  return json;
}

}  // namespace kgrade
