// Reads how an input's elements are drawn: Init in problem.h has the forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/diagnostics.h"
#include "problem/frontmatter.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {

std::optional<Init> read_init(const YamlNode& node, Diagnostics& diagnostics);

// Whether it is written as such contents are, and not as a name.
bool is_init(std::string_view text);

// Whether a `shape` is values(a, b, ...), which read_values() reads.
bool is_values(const YamlNode& node);
std::optional<Init> read_values(const YamlNode& node, Diagnostics& diagnostics);

// What is wrong with it for a tensor of a type: it draws others than values of an integer type, or integers
// that no float holds for another. Empty: nothing.
std::string complaint_about(const Init& init, const ScalarType& type);

}  // namespace kgrade
