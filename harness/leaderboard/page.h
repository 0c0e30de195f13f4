// A leaderboard as one HTML page that needs nothing but itself.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// A problem of the catalogue, with what records do not say.
struct PageProblem {
  std::string slug;
  std::string title;
  std::string family{};
  std::string author{};
  std::vector<std::string> tags{};
  std::string statement{};  // its file, if the page may link to it
};

struct PageContext {
  std::vector<PageProblem> catalogue{};
  // What the paths of files are appended to: "https://github.com/us/kernels/blob/main", or a folder. Empty:
  // the page links to no file.
  std::string links{};
  // True if the page may link to this path.
  bool (*is_linked)(const std::string& path) = nullptr;
};

// The leaderboard's JSON as the page needs it: with the problems, with `links`, and in each row also
// `modules`, `pytorch` (the reference is a module of PyTorch) and `linked` (the page may link to the
// candidate). Left out is what the page does not show, and of a row's earlier results all but the newest
// fifty.
nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const PageContext& context);

// The same in less space, because a page of 50,000 records has to open at once. An object is an array of the
// number of its shape and its values; `shapes` has the names of each shape's members, and the first number is
// 1. An array begins with 0. A text that has occurred before is -1 minus its place among the texts, in the
// order in which they are read. Numbers have six digits. No number in `json` may be negative.
nlohmann::ordered_json packed(const nlohmann::ordered_json& json);

// The page holds packed page_data(), from which its script draws everything: a card for each problem, the
// table of all results, and charts. Without scripts the page shows a plain table of the leaders. The page
// asks for nothing over the network, and its content policy allows no script or style but its own, by their
// hashes. The same leaderboard and context give the same bytes.
std::string render_page(const Leaderboard& leaderboard, const PageContext& context = {});

// Every {{name}} of the layout replaced by its text, once: what looks like a name in a text stays. Throws
// std::logic_error for a name that has no text.
std::string fill(std::string_view layout, const std::map<std::string, std::string, std::less<>>& texts);

// 'sha256-...', as a content security policy names the text of a script or a style.
std::string policy_source(std::string_view text);

}  // namespace kgrade
