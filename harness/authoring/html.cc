#include "authoring/html.h"

#include <cctype>

namespace kgrade::authoring {

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

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
