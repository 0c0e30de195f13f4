// The roles of contestants in a run.
#pragma once

#include <string_view>

namespace kgrade {

enum class Role {
  oracle,     // the reference in double precision: it gives the expected outputs
  reference,  // the reference in float: speeds are compared with it
  baseline,   // a vendor's library or PyTorch: speeds are compared with the baseline too
  candidate   // the kernel that is graded
};

constexpr std::string_view to_string(Role role) {
  constexpr std::string_view words[] = {"oracle", "reference", "baseline", "candidate"};
  return words[static_cast<int>(role)];
}

}  // namespace kgrade
