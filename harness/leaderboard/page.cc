#include "leaderboard/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "leaderboard/leaderboard_output.h"
#include "leaderboard/notes.h"
#include "record/terminal.h"

namespace kgrade {

// Files of the folder page/. The build puts them into the program.
namespace page_files {
extern const std::string_view layout;
extern const std::string_view style;
extern const std::string_view data_script;
extern const std::string_view table_script;
extern const std::string_view cards_script;
extern const std::string_view axes_script;
extern const std::string_view charts_script;
extern const std::string_view solutions_script;
extern const std::string_view main_script;
}  // namespace page_files

namespace {

constexpr std::size_t most_plain_rows = 100;

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

// The table for browsers without scripts: the leaders of each board, or the verdicts if there are no boards.
std::string plain_table(const Leaderboard& leaderboard) {
  PlainTable table = leaders_of(leaderboard, true);
  if (table.rows.empty()) table = verdicts_of(leaderboard);
  const std::size_t shown = std::min(table.rows.size(), most_plain_rows);
  const auto cell = [&table](std::string_view tag, std::size_t column, const std::string& text) {
    return fmt::format("<{0}{1}>{2}</{0}>", tag, table.is_number[column] ? " class=\"number\"" : "",
                       text_of(text));
  };
  std::string text = fmt::format(
      "<p class=\"about\">{} of {} candidates. The others, filters and charts need scripts.</p>\n"
      "<table>\n<thead><tr>",
      shown, newest_records(leaderboard).size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += cell("th", i, table.columns[i]);
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < shown; ++row) {
    text += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) text += cell("td", i, table.rows[row][i]);
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>";
}

// JSON inside of an HTML element. It holds texts of candidates, so it must have no "<", which could end the
// element.
std::string embedded(const nlohmann::ordered_json& json) {
  return replace_all(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "<",
                     "\\u003c");
}

std::string script() {
  std::string text = "(() => {\n'use strict';\n";
  for (const std::string_view part :
       {page_files::data_script, page_files::table_script, page_files::cards_script, page_files::axes_script,
        page_files::charts_script, page_files::solutions_script, page_files::main_script}) {
    text += part;
  }
  return text + "})();\n";
}

std::string span(std::size_t count, std::string_view thing) {
  return fmt::format("<span>{}</span>", counted(count, thing));
}

std::string about(const Leaderboard& leaderboard) {
  const std::vector<const Record*> records = newest_records(leaderboard);
  std::set<std::string_view> problems;
  for (const Record* record : records) problems.insert(record->problem_slug);
  std::string text = span(records.size(), "candidate") + " " + span(problems.size(), "problem") + " " +
                     span(leaderboard.measurements, "result");
  for (const LeaderboardDevice& device : leaderboard.devices) {
    text += " <span>" + text_of(device.name) + "</span>";
  }
  return text + " <span>newest of " + text_of(leaderboard.newest.substr(0, 10)) + "</span>";
}

// The notes as banners. A banner shows the names that it counts only after a click.
std::string notes(const Leaderboard& leaderboard, const PageContext& context) {
  std::vector<std::string> catalogue;
  for (const PageProblem& problem : context.catalogue) catalogue.push_back(problem.slug);
  std::string text;
  for (const LeaderboardNote& note : notes_of(leaderboard, catalogue)) {
    if (note.names.empty()) {
      text += "<li>" + text_of(note.text) + "</li>\n";
      continue;
    }
    text += "<li><details><summary>" + text_of(note.text) + "</summary>";
    for (const std::string& name : note.names) text += "<span>" + text_of(name) + "</span> ";
    text += "</details></li>\n";
  }
  return text.empty() ? "" : "<ul class=\"notes\" aria-label=\"What to know first\">\n" + text + "</ul>";
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

std::string render_page(const Leaderboard& leaderboard, const PageContext& context) {
  const std::string code = script();
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
      policy_source(page_files::style), policy_source(code));
  return fill(page_files::layout, {{"policy", policy},
                                   {"style", std::string(page_files::style)},
                                   {"about", about(leaderboard)},
                                   {"notes", notes(leaderboard, context)},
                                   {"leaders", plain_table(leaderboard)},
                                   {"data", embedded(packed(page_data(leaderboard, context)))},
                                   {"script", code}});
}

}  // namespace kgrade
