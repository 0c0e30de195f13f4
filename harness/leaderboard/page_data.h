// What the leaderboard's page holds: less than the leaderboard's JSON, and packed, because a page of 50,000
// records has to open at once.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
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

// Texts that repeat stand once, in `texts`; rows are arrays in the order of `columns` and name them by their
// place. Numbers have six digits. Each board has its ranked rows first, then those without a rank, and then
// those without a speed. Of a row's earlier results the newest fifty stay, each as [seconds since 1970, speed
// against what the row is compared with (0: none), place of the verdict, 1 if the next result is of another
// version of the file].
nlohmann::ordered_json page_data(const Leaderboard& leaderboard, const PageContext& context);

}  // namespace kgrade
