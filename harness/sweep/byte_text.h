// Text for paths in messages between processes of a sweep. A path may hold any bytes, but JSON holds only
// UTF-8. So each byte becomes the character with that number.
#pragma once

#include <string>
#include <string_view>

namespace kgrade {

inline std::string text_of_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

// The inverse of text_of_bytes(). A text with characters beyond 255 gives arbitrary bytes.
inline std::string bytes_of_text(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>((first << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
    }
  }
  return bytes;
}

}  // namespace kgrade
