// Reads values of expected kinds out of a YAML tree. A reader that finds another kind reports it and returns
// nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/diagnostics.h"
#include "problem/expression.h"
#include "problem/frontmatter.h"

namespace kgrade {

// The spellings of true and false, which may also be in quotes.
inline constexpr std::array<std::string_view, 3> words_for_true = {"true", "True", "TRUE"};
inline constexpr std::array<std::string_view, 3> words_for_false = {"false", "False", "FALSE"};

// `what` names the value in messages: "'title'", "parameter 'input'".
std::optional<std::string> read_text(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
std::optional<bool> read_bool(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
std::optional<std::int64_t> read_integer(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics);
// Accepts finite numbers only.
std::optional<double> read_real(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);
std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics);
// A condition may contain decimal numbers.
std::optional<Expression> read_condition(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics);

// Reports a node that is not a list (or a map) of at most `limit` entries, and returns false. The message
// tells the user to write `example`.
bool expect_sequence(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                     Diagnostics& diagnostics);
bool expect_map(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                Diagnostics& diagnostics);

void refuse_unknown_keys(const YamlNode& map, const std::vector<std::string>& known, std::string_view what,
                         Diagnostics& diagnostics);

// The number, if `text` is a number and nothing else.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);
// Whether `text` consists of digits, with or without a minus sign. If parse_integer() returns nothing for
// such a text, the number does not fit into 64 bits.
bool looks_like_integer(std::string_view text);

// A slug or the name of a case: [a-z0-9][a-z0-9-]*, at most 128 characters.
bool is_slug(std::string_view text);
// Letters and digits in lower case, with a hyphen for all other characters between them: 23_Softmax becomes
// 23-softmax. May be empty or longer than a slug.
std::string slug_from(std::string_view text);

}  // namespace kgrade
