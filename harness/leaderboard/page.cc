#include "leaderboard/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "leaderboard/page_data.h"
#include "record/terminal.h"

namespace kgrade {

// Files of the folder page/, put into the program when it is built.
namespace page_files {
extern const std::string_view layout;
extern const std::string_view style;
extern const std::string_view data_script;
extern const std::string_view table_script;
extern const std::string_view charts_script;
extern const std::string_view main_script;
}  // namespace page_files

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_static_rows = 100;
// Of more tables all but the first are closed.
constexpr std::size_t most_open_suites = 4;

// Base64 (RFC 4648) of bytes given as hexadecimal digits.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    const std::string group(hex.substr(i, 6));
    const std::size_t bytes = group.size() / 2;
    const unsigned long bits = std::stoul(group, nullptr, 16) << (8 * (3 - bytes));
    for (std::size_t digit = 0; digit < 4; ++digit) {
      text += digit <= bytes ? digits[bits >> (18 - 6 * digit) & 63] : '=';
    }
  }
  return text;
}

std::string text_of(const std::string& text) { return escape_markup(printable(text)); }

// "1.25&times;"
std::string ratio(double value) {
  const int places = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return fmt::format("{:.{}f}&times;", value, places);
}

// An end of an interval has a digit more than what it is of.
std::string bound(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

std::string interval(const std::optional<Interval>& interval) {
  if (!interval) return "";
  return fmt::format("<span class=\"interval\">{}&ndash;{}</span>", bound(interval->low),
                     bound(interval->high));
}

std::string cell(std::string_view classes, const std::string& content) {
  return fmt::format("<td class=\"{}\" role=\"cell\">{}</td>", classes, content);
}

std::string labelled(std::string_view label, const std::string& content) {
  return fmt::format("<td class=\"other number{}\" role=\"cell\" data-label=\"{}\">{}</td>",
                     content.empty() ? " empty" : "", label, content);
}

std::string speed(const PageRow& row) {
  if (row.score == nullptr) return cell("number speed", "");
  return cell("number speed",
              fmt::format("<span class=\"value\">{}</span> {}<span class=\"against\">vs {}</span>",
                          ratio(row.score->speedup.geometric_mean), interval(row.score->speedup.interval),
                          text_of(row.score->against)));
}

std::string rank(const LeaderboardRow& row) {
  return row.rank ? fmt::format("{}{}", row.rank->best, row.tied ? "=" : "") : "&ndash;";
}

std::string problem(const Record& record) {
  const std::string dtype(to_string(record.dtype));
  return text_of(record.problem_slug) + (record.dtype == Dtype::float32 ? "" : ", " + dtype);
}

std::string suite_row(const SuiteRow& row, std::size_t problems) {
  std::string fast;
  for (const auto& [p, share] : row.fast_p) fast += cell("number", fmt::format("{:.0f} %", 100 * share));
  return fmt::format("<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n", text_of(row.solution),
                     cell("number", fmt::format("{} of {}", row.accepted, problems)),
                     cell("number", "<span class=\"value\">" + ratio(row.score.geometric_mean) + "</span> " +
                                        interval(row.score.interval)),
                     fast);
}

std::string against_words(const Suite& suite) {
  if (suite.against == against_reference) return "the reference";
  return suite.against == against_baseline ? "the strongest baseline" : text_of(suite.against);
}

std::string suite_table(const Suite& suite, bool open) {
  const std::size_t shown = std::min(suite.rows.size(), most_suite_rows);
  std::string text = fmt::format(
      "<details{}><summary>{}{}, {} <span>against {}{}{}</span></summary>\n<div class=\"suites\"><table>\n"
      "<thead><tr><th scope=\"col\">Solution</th><th scope=\"col\" class=\"number\">Accepted</th>"
      "<th scope=\"col\" class=\"number\">Geometric mean</th>",
      open ? " open" : "", text_of(suite.device),
      suite.dtype == Dtype::float32 ? "" : fmt::format(", {}", to_string(suite.dtype)),
      to_string(suite.precision), against_words(suite), suite.cache == "warm" ? ", warm cache" : "",
      shown < suite.rows.size() ? fmt::format("; the first {} of {}", shown, suite.rows.size()) : "");
  for (const auto& [p, share] : suite.rows.front().fast_p) {
    text += fmt::format("<th scope=\"col\" class=\"number\">fast<sub>{}</sub></th>", p);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < shown; ++i) text += suite_row(suite.rows[i], suite.problems);
  return text + "</tbody></table></div></details>\n";
}

std::string page_head() {
  std::string head;
  // The key that the script sorts by, the heading, and whether numbers stand below it.
  const std::vector<std::tuple<std::string_view, std::string_view, bool>> columns = {
      {"rank", "Rank", true},
      {"candidate", "Candidate", false},
      {"problem", "Problem", false},
      {"gpu", "GPU", false},
      {"class", "Class", false},
      {"speedup", "Speedup", true},
      {"reference", "vs reference", true},
      {"time", "Total median", true},
      {"roofline", "Roofline", true},
      {"verdict", "Verdict", false},
      {"measured", "Measured", true}};
  for (const auto& [key, name, number] : columns) {
    head += fmt::format("<th scope=\"col\" role=\"columnheader\" data-sort=\"{}\"{}>{}</th>\n", key,
                        number ? " class=\"number\"" : "", name);
  }
  return head;
}

std::string page_row(const PageRow& row) {
  const Record& record = row.row->newest;
  const bool accepted = record.candidate().verdict == Verdict::accepted;
  const std::string name = std::filesystem::path(record.candidate().path).filename().string();
  return fmt::format(
      "<tr id=\"r-{0}\" role=\"row\">{1}<th class=\"name\" scope=\"row\" role=\"rowheader\"><a "
      "href=\"#r-{0}\">{2}</a>"
      "<span class=\"hash\">{3}</span></th>{4}{5}{6}{7}{8}{9}{10}{11}{12}</tr>\n",
      row.row->id, cell("number rank", rank(*row.row)), text_of(name),
      text_of(record.candidate().sha256.substr(0, 7)), cell("problem", problem(record)),
      cell("other device", text_of(record.device.name)), cell("other", std::string(to_string(row.precision))),
      speed(row),
      labelled("vs reference", row.reference == nullptr ? "" : ratio(row.reference->speedup.geometric_mean)),
      labelled("total median", row.total_ms > 0 ? format_ms(row.total_ms) : ""),
      labelled("roofline", row.share > 0 ? fmt::format("{:.1f} %", 100 * row.share) : ""),
      cell(accepted ? "other verdict accepted" : "other verdict refused",
           replace_all(std::string(to_string(record.candidate().verdict)), "_", "_<wbr>")),
      labelled("measured", text_of(record.started_at.substr(0, 10))));
}

std::string suite_tables(const std::vector<Suite>& suites) {
  std::string text;
  for (const Suite& suite : suites) {
    text += suite_table(suite, suites.size() <= most_open_suites || text.empty());
  }
  return text.empty() ? "<p class=\"about\">Nothing here has a speed.</p>" : text;
}

std::string run_table(const std::vector<SampledRun>& runs) {
  if (runs.empty()) return "";
  std::string text = "<div class=\"suites\"><table>\n<thead><tr>";
  for (const std::string_view name : {"Run", "Level", "GPU", "Problems", "Samples", "Accepted", "pass@k"})
    text += fmt::format("<th scope=\"col\">{}</th>", name);
  text += "</tr></thead>\n<tbody>\n";
  for (const SampledRun& run : runs) {
    text += fmt::format("<tr><th scope=\"row\">{}</th>", text_of(run.run));
    text += cell("number", run.level ? std::to_string(*run.level) : "") + cell("", text_of(run.device));
    for (const std::size_t count : {run.problems, run.samples, run.accepted})
      text += cell("number", std::to_string(count));
    text += cell("", pass_at_k_text(run)) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

// Nothing has a speed, as after a sweep on the emulated device: the columns on speed go.
bool only_verdicts(const std::vector<PageRow>& rows) {
  return !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const PageRow& row) { return row.board == nullptr; });
}

// Of many rows the leaders of each board, at most `most`.
std::vector<PageRow> leading_rows(const std::vector<PageRow>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<PageRow> leading;
  for (const PageRow& row : rows) {
    if (leading.size() < most && row.row->rank && row.row->rank->best == 1) leading.push_back(row);
  }
  return leading;
}

// Texts from candidates stand in it: no "<" may end the element that holds them.
std::string embedded(const Json& json) {
  return replace_all(json.dump(-1, ' ', false, Json::error_handler_t::replace), "<", "\\u003c");
}

std::string script() {
  std::string text = "(() => {\n'use strict';\n";
  for (const std::string_view part : {page_files::data_script, page_files::table_script,
                                      page_files::charts_script, page_files::main_script}) {
    text += part;
  }
  return text + "})();\n";
}

std::string span(std::size_t count, std::string_view thing) {
  return fmt::format("<span>{}</span>", counted(count, thing));
}

std::string about(const Leaderboard& leaderboard, const std::vector<PageRow>& rows) {
  std::set<std::string_view> problems;
  for (const PageRow& row : rows) problems.insert(row.row->newest.problem_slug);
  std::string text = span(rows.size(), "candidate") + " " + span(problems.size(), "problem") + " " +
                     span(leaderboard.measurements, "result");
  for (const LeaderboardDevice& device : leaderboard.devices) {
    text += " <span>" + escape_markup(printable(device.name)) + "</span>";
  }
  return text + " <span>newest of " + escape_markup(leaderboard.newest.substr(0, 10)) + "</span>";
}

std::string plain_note(std::size_t shown, std::size_t all) {
  if (shown == all) return "Sorting, filters and charts need scripts.";
  return fmt::format(
      "The leaders of the boards, {} of {} candidates. The others, filters and charts need scripts.", shown,
      all);
}

}  // namespace

std::string fill(std::string_view layout, const std::map<std::string, std::string, std::less<>>& texts) {
  std::string filled;
  for (std::size_t at = 0; at < layout.size();) {
    const std::size_t open = std::min(layout.find("{{", at), layout.size());
    filled += layout.substr(at, open - at);
    if (open == layout.size()) break;
    const std::size_t close = layout.find("}}", open);
    const auto text =
        close == layout.npos ? texts.end() : texts.find(layout.substr(open + 2, close - open - 2));
    if (text == texts.end()) throw std::logic_error("the page's layout has a name without a text");
    filled += text->second;
    at = close + 2;
  }
  return filled;
}

std::string policy_source(std::string_view text) {
  return "'sha256-" + base64_of_hex(sha256_hex(text)) + "'";
}

std::string render_page(const Leaderboard& leaderboard) {
  const std::vector<PageRow> rows = page_rows(leaderboard);
  const std::vector<PageRow> leading = leading_rows(rows, most_static_rows);
  std::string table;
  for (const PageRow& row : leading) table += page_row(row);
  const std::string code = script();
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
      policy_source(page_files::style), policy_source(code));
  return fill(page_files::layout, {{"policy", policy},
                                   {"style", std::string(page_files::style)},
                                   {"about", about(leaderboard, rows)},
                                   {"table_class", only_verdicts(rows) ? "verdicts" : ""},
                                   {"head", page_head()},
                                   {"rows", table},
                                   {"plain", plain_note(leading.size(), rows.size())},
                                   {"suites", run_table(leaderboard.runs) + suite_tables(leaderboard.suites)},
                                   {"data", embedded(page_data(leaderboard, rows))},
                                   {"script", code}});
}

}  // namespace kgrade
