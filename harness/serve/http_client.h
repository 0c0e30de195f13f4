// One request to a service, for commands that look at it.
#pragma once

#include <string>

#include "base/result.h"

namespace kgrade {

// Asks for `target` ("/v1/capacity") with GET, and returns the body of the answer. `url`: as in $KGRADE_URL,
// "http://host:port" or "unix:///path"; `token`: empty if none is needed. Waits for at most ten seconds.
// Errors: nobody answers, or the answer is no success.
Result<std::string> get_from_service(const std::string& url, const std::string& target,
                                     const std::string& token);

}  // namespace kgrade
