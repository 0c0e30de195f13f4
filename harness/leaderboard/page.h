// A leaderboard as one HTML page that loads no other file.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// A problem of the catalogue, with members that records do not have.
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
  // The beginning of links to files: "https://github.com/us/kernels/blob/main", or a folder. A file's path is
  // appended. Empty: the page links to no file.
  std::string links{};
  // True if the page may link to this path.
  bool (*is_linked)(const std::string& path) = nullptr;
};

// The leaderboard's JSON as the page needs it: with the problems, with `links`, and in each row also
// `modules`, `pytorch` (the reference is a module of PyTorch) and `linked` (the page may link to the
// candidate). Members that the page does not show are left out. Only the newest fifty of a row's earlier
// results are kept.
nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const PageContext& context);

// The JSON in less space, because a page of 50,000 records has to open at once. An object becomes an array of
// the number of its shape and its values. `shapes` has the names of each shape's members; the first shape has
// the number 1. An array begins with 0. A text that has occurred before becomes -1 minus its place among all
// texts, in the order in which a reader meets them. Numbers have six digits. No number in `json` may be
// negative.
nlohmann::ordered_json packed(const nlohmann::ordered_json& json);

// The page holds packed page_data(), from which its script draws everything: a card for each problem, the
// table of all results, and charts. Without scripts the page shows a plain table of the leaders. The page
// asks for nothing over the network, and its content policy allows no script or style but its own, by their
// hashes. The same leaderboard and context give the same bytes.
std::string render_page(const Leaderboard& leaderboard, const PageContext& context = {});

// Replaces every {{name}} of the layout by its text. A {{name}} within a text stays as it is. Throws
// std::logic_error for a name that has no text.
std::string fill(std::string_view layout, const std::map<std::string, std::string, std::less<>>& texts);

// 'sha256-...', as a content security policy names the text of a script or a style.
std::string policy_source(std::string_view text);

}  // namespace kgrade
