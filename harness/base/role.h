// What a contestant is in a run.
#pragma once

#include <string_view>

namespace kgrade {

enum class Role {
  oracle,     // the reference in double precision: it says what is right
  reference,  // what speeds are compared with
  baseline,   // a vendor's library, compared as well
  candidate   // what is graded
};

constexpr std::string_view to_string(Role role) {
  constexpr std::string_view words[] = {"oracle", "reference", "baseline", "candidate"};
  return words[static_cast<int>(role)];
}

}  // namespace kgrade
