#pragma once

#include <string>
#include <string_view>

namespace kgrade {

// The bytes in Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

}  // namespace kgrade
