// GitHub's tables; internal to authoring.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

// Whether `line` is the head of a table and `rule` the line | --- | --: | below it, with as many cells.
bool is_table_rule(std::string_view line, std::string_view rule);

// A head, a rule, and rows, which get as many cells as the head has.
std::string table_to_html(const std::vector<std::string>& lines);

}  // namespace kgrade::authoring
