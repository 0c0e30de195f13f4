// What the page is put together from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "leaderboard/page_rows.h"

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

// Every {{name}} of the layout replaced by its text, once: what looks like a name in a text stays. Throws
// std::logic_error for a name that has no text.
std::string fill(std::string_view layout, const std::map<std::string, std::string, std::less<>>& texts);

// 'sha256-...', as a content security policy names the text of a script or a style.
std::string policy_source(std::string_view text);

std::string page_head();
// Of many rows the leaders of each board, at most `most`.
std::vector<PageRow> leading_rows(const std::vector<PageRow>& rows, std::size_t most);
std::string page_row(const PageRow& row);
std::string suite_tables(const std::vector<Suite>& suites);

}  // namespace kgrade
