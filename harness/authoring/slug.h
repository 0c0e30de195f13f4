// The names of problems.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade::authoring {

// What is wrong with a slug, with one that would do: "use `row-softmax`".
std::optional<Error> check_slug(const std::string& slug);

}  // namespace kgrade::authoring
