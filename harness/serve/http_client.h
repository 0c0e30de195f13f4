// One HTTP request to a service, for commands that show what the service does.
#pragma once

#include <string>

#include "base/result.h"

namespace kgrade {

// Asks for `target` ("/v1/capacity") with GET, and returns the body of the answer. `url`: as in $KGRADE_URL,
// "http://host:port" or "unix:///path"; `token`: empty if none is needed. Waits for at most ten seconds.
// Errors if nobody answers, or if the status of the answer is not 200.
Result<std::string> get_from_service(const std::string& url, const std::string& target,
                                     const std::string& token);

}  // namespace kgrade
