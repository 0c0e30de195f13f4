// Large numbers in messages.
#pragma once

#include <cstdint>
#include <string>

namespace kgrade {

// "65,536".
inline std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace kgrade
