#include "leaderboard/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>

#include "base/base64.h"
#include "base/text.h"
#include "leaderboard/leaderboard_output.h"
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

using Json = nlohmann::ordered_json;

constexpr std::size_t most_earlier = 50;
constexpr std::size_t most_message_bytes = 400;
constexpr std::size_t shown_hash_digits = 12;

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
  std::string message = row.newest.candidate().message;
  if (message.size() > most_message_bytes) {
    // It does not end in the middle of a character.
    std::size_t end = most_message_bytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
    message = message.substr(0, end) + "\u2026";
  }
  json["message"] = std::move(message);
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
  const std::string hex = sha256_hex(text);
  std::string digest;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    digest += static_cast<char>(std::stoul(hex.substr(i, 2), nullptr, 16));
  return "'sha256-" + base64(digest) + "'";
}

std::string render_page(const Leaderboard& leaderboard, const PageContext& context) {
  std::string code = "(() => {\n'use strict';\n";
  for (const std::string_view part :
       {page_files::data_script, page_files::table_script, page_files::cards_script, page_files::axes_script,
        page_files::charts_script, page_files::solutions_script, page_files::main_script}) {
    code += part;
  }
  code += "})();\n";
  // The JSON is inside of an HTML element. It holds texts of candidates, so it must have no "<", which could
  // end the element.
  const std::string data = replace_all(
      packed(page_data(leaderboard, context)).dump(-1, ' ', false, Json::error_handler_t::replace), "<",
      "\\u003c");
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
      policy_source(page_files::style), policy_source(code));
  return fill(page_files::layout, {{"policy", policy},
                                   {"style", std::string(page_files::style)},
                                   {"about", about(leaderboard)},
                                   {"notes", notes(leaderboard, context)},
                                   {"leaders", plain_table(leaderboard)},
                                   {"data", data},
                                   {"script", code}});
}

}  // namespace kgrade
