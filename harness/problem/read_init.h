// Reads how an input's elements are drawn. Init in problem.h lists the forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/diagnostics.h"
#include "problem/keys.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {

Schema init_schema(SchemaDefinitions& definitions);
std::optional<Init> read_init(const YamlNode& node, Diagnostics& diagnostics);

// Whether `text` is written as an init, and not as a name.
bool is_init(std::string_view text);

// Whether a `shape` is values(a, b, ...), which read_values() reads.
bool is_values(const YamlNode& node);
std::optional<Init> read_values(const YamlNode& node, Diagnostics& diagnostics);

// Says what is wrong with `init` for a tensor of `type`: it draws values that an integer type does not have,
// or integers that a float cannot hold for a real type. Empty if nothing is wrong.
std::string complaint_about(const Init& init, const ScalarType& type);

}  // namespace kgrade
