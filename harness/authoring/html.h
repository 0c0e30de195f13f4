// Addresses in HTML; text is escaped by escape_markup() in base/text.h.
#pragma once

#include <string>
#include <string_view>

namespace kgrade::authoring {

// A link's address that a page may hold: http, https, mailto, or without a scheme. Empty for any other, as
// javascript: is. Not escaped.
std::string safe_address(std::string_view address);

}  // namespace kgrade::authoring
