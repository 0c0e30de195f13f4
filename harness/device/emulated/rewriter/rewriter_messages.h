// Messages between the toolchain and kgrade-rewrite: the request as program arguments, the answer as one line
// of JSON on standard output. The answer comes from a process that has read a hostile source, so the reader
// must cope with any text. It returns an answer or nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/emulated/rewriter/rewrite.h"

namespace kgrade::emulated {

// to_arguments() returns all arguments except the program's name. to_request() reads them, and returns
// nothing if they are not a request.
std::vector<std::string> to_arguments(const RewriteRequest& request);
std::optional<RewriteRequest> to_request(const std::vector<std::string>& arguments);

// The answer has no line break. If there are several errors, the answer has only the first.
std::string to_answer(const Result<RewrittenTree>& result);
// Nothing for a text that is not an answer. The tree's path comes from the request, never from the answer.
std::optional<Result<RewrittenTree>> read_answer(std::string_view text, const RewriteRequest& request);

}  // namespace kgrade::emulated
