// The `parameters` list of a `def.py` beside a statement: literals, read and never executed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade::authoring {

// The list as YAML of a problem file: "parameters:\n  - {name: ..., ...}\n". The text has a line
// `parameters = [...]`, at any indentation, whose items are dicts with the members name, type, pointer and
// const
// (`constant`); text, numbers, True, False and None are values. Anything else in the list is an Error with
// its line.
Result<std::string> parameters_in(std::string_view python, const std::filesystem::path& path);

}  // namespace kgrade::authoring
