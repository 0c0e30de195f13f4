// What the toolchain says to kgrade-rewrite, as its arguments, and what that answers, as one line of JSON on
// standard output. The answer comes from a process that has read a hostile source: whatever it holds, it is
// an answer or none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/emulated/rewriter/rewrite.h"

namespace kgrade::emulated {

// All but the program's name, and back; nothing for arguments that are none of these.
std::vector<std::string> to_arguments(const RewriteRequest& request);
std::optional<RewriteRequest> to_request(const std::vector<std::string>& arguments);

// Without a line break. Of several errors the first counts.
std::string to_answer(const Result<RewrittenTree>& result);
// Nothing for a text that is no answer. The tree lies where the request says, not where the answer might.
std::optional<Result<RewrittenTree>> read_answer(std::string_view text, const RewriteRequest& request);

}  // namespace kgrade::emulated
