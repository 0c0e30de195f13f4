// A leaderboard as one HTML page that needs nothing but itself.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "leaderboard/leaderboard.h"
#include "leaderboard/page_data.h"

namespace kgrade {

// The page holds page_data(), from which its script draws everything: a card for each problem, the table of
// all results, and charts. Without scripts the page shows a plain table of the leaders. The page asks for
// nothing over the network, and its content policy allows no script or style but its own, by their hashes.
// The same leaderboard and context give the same bytes.
std::string render_page(const Leaderboard& leaderboard, const PageContext& context = {});

// Every {{name}} of the layout replaced by its text, once: what looks like a name in a text stays. Throws
// std::logic_error for a name that has no text.
std::string fill(std::string_view layout, const std::map<std::string, std::string, std::less<>>& texts);

// 'sha256-...', as a content security policy names the text of a script or a style.
std::string policy_source(std::string_view text);

}  // namespace kgrade
