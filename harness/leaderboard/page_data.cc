#include "leaderboard/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "base/statistics.h"

namespace kgrade {
namespace {

void add_totals(PageRow& page_row) {
  bool all_say = true;
  std::vector<double> shares;
  for (const CaseRecord* c : compared_cases(page_row.row->newest.candidate())) {
    page_row.total_ms += c->candidate().summary.median;
    page_row.total_bytes += static_cast<double>(c->tensor_bytes);
    page_row.total_flops += static_cast<double>(c->flops.value_or(0));
    all_say = all_say && c->flops.has_value();
    if (const double share = c->roofline ? c->roofline->shares.back() : 0; share > 0) shares.push_back(share);
  }
  if (!all_say) page_row.total_flops = 0;
  if (shares.size() == compared_cases(page_row.row->newest.candidate()).size())
    page_row.share = geometric_mean(shares);
}

PageRow measured_row(const Board& board, const LeaderboardRow& row) {
  PageRow page_row;
  page_row.row = &row;
  page_row.board = &board;
  page_row.precision = board.precision;
  page_row.score = row.rank ? score_against(row.newest, board.against) : row.newest.candidate().headline();
  page_row.reference = score_against(row.newest, against_reference);
  add_totals(page_row);
  return page_row;
}

// By the class that was asked for, so that it shows among those that it meant to join.
PageRow unmeasured_row(const LeaderboardRow& row) {
  PageRow page_row;
  page_row.row = &row;
  const bool accepted = row.newest.candidate().verdict == Verdict::accepted;
  page_row.precision = accepted ? row.newest.candidate().precision : row.newest.required_precision;
  return page_row;
}

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_message = 400;
constexpr std::size_t short_hash = 12;
constexpr std::size_t shown_hash = 7;

Json rounded(double value) {
  if (!std::isfinite(value)) return 0;
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

// Texts by number, each once.
class Texts {
 public:
  std::size_t number(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  Json json() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string shortened(const std::string& text) {
  if (text.size() <= longest_message) return text;
  std::size_t end = longest_message;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string against_text(const PageRow& row) {
  if (row.score == nullptr) return "";
  if (row.score->against == against_reference) return "reference";
  const auto& baselines = row.board->baselines;
  return baselines.empty() ? "baseline" : fmt::format("{}", fmt::join(baselines, ", "));
}

// Columns of the table, filled row by row.
class Columns {
 public:
  explicit Columns(const Leaderboard& leaderboard) {
    for (const LeaderboardDevice& device : leaderboard.devices) devices_.number(device.name);
  }

  void add(const PageRow& row, std::size_t index) {
    const Record& record = row.row->newest;
    ids_ += row.row->id;
    hashes_ += (record.candidate().sha256 + std::string(short_hash, '0')).substr(0, short_hash);
    problem(record);
    put("device", devices_.number(record.device.name));
    put("precision", static_cast<int>(row.precision));
    put("verdict", verdicts_.number(std::string(to_string(record.candidate().verdict))));
    put("rank", row.row->rank ? row.row->rank->best : 0);
    put("worst", row.row->rank ? row.row->rank->worst : 0);
    put("tied", row.row->tied ? 1 : 0);
    const std::filesystem::path path(record.candidate().path);
    put("folder", folders_.number(path.parent_path().generic_string()));
    put("name", names_.number(path.filename().string()));
    put("time", times_.number(record.started_at));
    put("tool", tools_.number(record.tool.version));
    put("effort", efforts_.number(std::string(to_string(record.effort))));
    put("file", files_.number(record.read_from.file));
    put("message", messages_.number(shortened(message(row))));
    speeds(row);
    if (!row.row->earlier.empty()) history_[std::to_string(index)] = history(row);
  }

  Json json() {
    columns_["id"] = ids_;
    columns_["sha"] = hashes_;
    return {{"problems", problems_},        {"devices", devices_.json()}, {"verdicts", verdicts_.json()},
            {"folders", folders_.json()},   {"names", names_.json()},     {"times", times_.json()},
            {"tools", tools_.json()},       {"efforts", efforts_.json()}, {"files", files_.json()},
            {"messages", messages_.json()}, {"against", against_.json()}, {"rows", columns_},
            {"history", history_}};
  }

 private:
  template <class T>
  void put(const char* name, T value) {
    columns_[name].push_back(value);
  }

  void problem(const Record& record) {
    const std::string dtype(to_string(record.dtype));
    const std::size_t number = problem_numbers_.number(record.problem_slug + "\n" + dtype);
    if (number == problems_.size()) problems_.push_back({record.problem_slug, dtype, record.problem_title});
    put("problem", number);
  }

  static const std::string& message(const PageRow& row) {
    return row.row->unranked_because.empty() ? row.row->newest.candidate().message
                                             : row.row->unranked_because;
  }

  void speeds(const PageRow& row) {
    const SuiteScore none;
    const SuiteScore& score = row.score == nullptr ? none : row.score->speedup;
    const Interval interval = score.interval.value_or(Interval{});
    put("speed", rounded(score.geometric_mean));
    put("low", rounded(interval.low));
    put("high", rounded(interval.high));
    put("against", against_.number(against_text(row)));
    put("reference", rounded(row.reference == nullptr ? 0 : row.reference->speedup.geometric_mean));
    put("ms", rounded(row.total_ms));
    put("share", rounded(row.share));
    put("intensity", rounded(row.total_bytes > 0 ? row.total_flops / row.total_bytes : 0));
    put("rate", rounded(row.total_ms > 0 ? row.total_flops / row.total_ms * 1e3 : 0));
  }

  // Of each earlier result its time, its speedup by what counts for the row, and its verdict; and where the
  // file was another before the next one, the beginning of its hash.
  Json history(const PageRow& row) {
    Json points = Json::array();
    for (std::size_t i = 0; i < row.row->earlier.size(); ++i) {
      const Record& record = row.row->earlier[i];
      const bool same_class = record.candidate().precision == row.row->newest.candidate().precision;
      const Score* score =
          row.score == nullptr || !same_class ? nullptr : score_against(record, row.score->against);
      points.push_back({times_.number(record.started_at),
                        rounded(score == nullptr ? 0 : score->speedup.geometric_mean),
                        verdicts_.number(std::string(to_string(record.candidate().verdict)))});
      if (row.row->changed_before(i + 1))
        points.back().push_back(record.candidate().sha256.substr(0, shown_hash));
    }
    return points;
  }

  std::string ids_;
  std::string hashes_;
  Texts problem_numbers_;
  Json problems_ = Json::array();
  Texts devices_, verdicts_, folders_, names_, times_, tools_, efforts_, files_, messages_, against_;
  Json columns_ = Json::object();
  Json history_ = Json::object();
};

// Bytes a second, then operations a second by class.
Json ceilings_json(const Leaderboard& leaderboard) {
  Json all = Json::array();
  for (const LeaderboardDevice& device : leaderboard.devices) {
    const auto& c = device.ceilings;
    all.push_back(c ? Json({rounded(c->copy_bytes_per_second), rounded(c->fp32_flops_per_second),
                            rounded(c->tf32_flops_per_second), rounded(c->bf16_flops_per_second)})
                    : Json(nullptr));
  }
  return all;
}

Json suites_json(const Leaderboard& leaderboard) {
  Json all = Json::array();
  for (const Suite& suite : leaderboard.suites) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < suite.rows.size() && i < most_suite_rows; ++i) {
      const SuiteRow& row = suite.rows[i];
      const Interval interval = row.score.interval.value_or(Interval{});
      Json speedups = Json::array();
      for (const double speedup : row.speedups) speedups.push_back(rounded(speedup));
      rows.push_back({row.solution, row.accepted, rounded(row.score.geometric_mean), rounded(interval.low),
                      rounded(interval.high), speedups});
    }
    all.push_back({{"device", suite.device},
                   {"dtype", to_string(suite.dtype)},
                   {"precision", static_cast<int>(suite.precision)},
                   {"against", suite.against},
                   {"problems", suite.problems},
                   {"solutions", suite.rows.size()},
                   {"rows", rows}});
    if (suite.cache == "warm") all.back()["warm"] = true;
  }
  return all;
}

}  // namespace

std::vector<PageRow> page_rows(const Leaderboard& leaderboard) {
  std::vector<PageRow> rows;
  for (const Board& board : leaderboard.boards) {
    for (const LeaderboardRow& row : board.rows) rows.push_back(measured_row(board, row));
  }
  for (const LeaderboardRow& row : leaderboard.unmeasured) rows.push_back(unmeasured_row(row));
  const auto key = [](const PageRow& row) {
    const Record& record = row.row->newest;
    return std::tuple(std::string_view(record.problem_slug), record.dtype, std::string_view(record.device.name),
                      row.precision, record.candidate().is_module());
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&key](const PageRow& a, const PageRow& b) { return key(a) < key(b); });
  return rows;
}

nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const std::vector<PageRow>& rows) {
  Columns columns(leaderboard);
  for (std::size_t i = 0; i < rows.size(); ++i) columns.add(rows[i], i);
  Json json = columns.json();
  json["ceilings"] = ceilings_json(leaderboard);
  json["suites"] = suites_json(leaderboard);
  return json;
}

}  // namespace kgrade
