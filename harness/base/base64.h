#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kgrade {

// The bytes in Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);
// The bytes of such a text. Nothing if it is not one.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace kgrade
