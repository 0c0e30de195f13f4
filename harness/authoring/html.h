// Text for HTML and MathML.
#pragma once

#include <string>
#include <string_view>

namespace kgrade::authoring {

// The text with & < > " and ' written as entities, fit for content and for attributes in quotes.
std::string escape_html(std::string_view text);

// A link's address that a page may hold: http, https, mailto, or without a scheme. Empty for any other, as
// javascript: is. Not escaped.
std::string safe_address(std::string_view address);

}  // namespace kgrade::authoring
