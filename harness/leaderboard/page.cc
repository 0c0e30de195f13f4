#include "leaderboard/page.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "leaderboard/page_data.h"
#include "leaderboard/page_parts.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_static_rows = 100;

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
  std::set<std::pair<std::string_view, Dtype>> problems;
  for (const PageRow& row : rows) problems.emplace(row.row->newest.problem_slug, row.row->newest.dtype);
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
                                   {"head", page_head()},
                                   {"rows", table},
                                   {"plain", plain_note(leading.size(), rows.size())},
                                   {"suites", suite_tables(leaderboard.suites)},
                                   {"data", embedded(page_data(leaderboard, rows))},
                                   {"script", code}});
}

}  // namespace kgrade
