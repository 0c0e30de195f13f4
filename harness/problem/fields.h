// Reads values of expected kinds out of a YAML tree. What is not as expected is reported, and the reader
// returns nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/diagnostics.h"
#include "problem/expression.h"
#include "problem/frontmatter.h"

namespace kgrade {

// `what` names the value in messages: "'title'", "parameter 'input'".
std::optional<std::string> read_text(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
// true and false, also in quotes.
std::optional<bool> read_bool(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
std::optional<std::int64_t> read_integer(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics);
// Finite.
std::optional<double> read_real(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics);
// Which may hold decimal numbers.
std::optional<Expression> read_condition(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics);

// True when it is a list or map of at most `limit` entries; `example` shows one.
bool expect_sequence(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                     Diagnostics& diagnostics);
bool expect_map(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                Diagnostics& diagnostics);

// The entry, or null and a report at the map's place.
const YamlNode* require_key(const YamlNode& map, std::string_view key, std::string_view what,
                            std::string_view example, Diagnostics& diagnostics);
void refuse_unknown_keys(const YamlNode& map, const std::vector<std::string>& known, std::string_view what,
                         Diagnostics& diagnostics);

// An integer or real number that is the whole of `text`.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);
// Digits behind a sign or none: where parse_integer() has nothing, too many of them for 64 bits.
bool looks_like_integer(std::string_view text);

// A slug or the name of a case: [a-z0-9][a-z0-9-]*, at most 128 characters.
bool is_slug(std::string_view text);

}  // namespace kgrade
