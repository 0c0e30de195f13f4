#include "authoring/html.h"

#include <cctype>

namespace kgrade::authoring {

std::string safe_address(std::string_view address) {
  std::string scheme;
  for (const char c : address) {
    const auto byte = static_cast<unsigned char>(c);
    // Browsers leave such characters out of an address, and would see a scheme that we did not.
    if (byte <= 0x20 || byte == 0x7f) return "";
  }
  const std::size_t end = address.find_first_of(":/?#");
  if (end == std::string_view::npos || address[end] != ':') return std::string(address);
  for (const char c : address.substr(0, end)) {
    scheme += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return scheme == "http" || scheme == "https" || scheme == "mailto" ? std::string(address) : "";
}

}  // namespace kgrade::authoring
