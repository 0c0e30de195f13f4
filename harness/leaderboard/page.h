// A leaderboard as one HTML page that needs nothing but itself.
#pragma once

#include <string>

#include "leaderboard/leaderboard.h"

namespace kgrade {

// Without a script the page shows the leading candidates; its script sorts and filters all of them, and draws
// charts. The page asks for nothing over the network, and its content policy allows no script or style but
// its own, by their hashes. The same leaderboard gives the same bytes.
std::string render_page(const Leaderboard& leaderboard);

}  // namespace kgrade
