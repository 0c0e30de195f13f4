#include "authoring/markdown_table.h"

#include <algorithm>

#include "authoring/markdown.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

// As GitHub does it: every bar parts cells but one behind a backslash, which is shown as a bar.
std::vector<std::string> cells_of(std::string_view line) {
  std::string row(trimmed(line, " "));
  if (row.starts_with('|')) row.erase(0, 1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cells.back() += row[++i];
    } else if (row[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  if (cells.size() > 1 && trimmed(cells.back(), " ").empty()) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(trimmed(cell, " "));
  return cells;
}

bool is_rule_cell(std::string_view cell) {
  if (cell.starts_with(':')) cell.remove_prefix(1);
  if (cell.ends_with(':')) cell.remove_suffix(1);
  return !cell.empty() && cell.find_first_not_of('-') == cell.npos;
}

std::string_view alignment_of(std::string_view rule_cell) {
  const bool left = rule_cell.starts_with(':');
  const bool right = rule_cell.ends_with(':');
  return left && right ? " class=\"middle\"" : right ? " class=\"right\"" : "";
}

std::string row_to_html(const std::vector<std::string>& cells, const std::vector<std::string>& rule,
                        std::string_view tag) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < rule.size(); ++i) {
    html.append("<").append(tag).append(alignment_of(rule[i])).append(">");
    if (i < cells.size()) html += inline_markdown_to_html(cells[i]);
    html.append("</").append(tag).append(">");
  }
  return html + "</tr>\n";
}

}  // namespace

bool is_table_rule(std::string_view line, std::string_view rule) {
  // Most lines of a statement are told apart without being taken apart.
  const bool likely = line.find('|') != line.npos && rule.find('-') != rule.npos &&
                      rule.find_first_not_of(" |-:") == rule.npos && rule.find('|') != rule.npos;
  if (!likely) return false;
  const std::vector<std::string> cells = cells_of(rule);
  return std::all_of(cells.begin(), cells.end(), is_rule_cell) && cells.size() == cells_of(line).size();
}

std::string table_to_html(const std::vector<std::string>& lines) {
  const std::vector<std::string> rule = cells_of(lines[1]);
  std::string html = "<div class=\"scroll\"><table>\n<thead>\n" +
                     row_to_html(cells_of(lines[0]), rule, "th") + "</thead>\n<tbody>\n";
  for (std::size_t i = 2; i < lines.size(); ++i) html += row_to_html(cells_of(lines[i]), rule, "td");
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace kgrade::authoring
