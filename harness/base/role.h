// The roles of contestants in a run.
#pragma once

#include <array>
#include <string_view>

#include "base/enum_words.h"

namespace kgrade {

enum class Role {
  oracle,     // the reference in double precision: it gives the expected outputs
  reference,  // the reference in float: speeds are compared with it
  baseline,   // a vendor's library or PyTorch: speeds are compared with the baseline too
  candidate   // the kernel that is graded
};

template <>
inline constexpr std::array<std::string_view, 4> enum_words<Role> = {"oracle", "reference", "baseline",
                                                                     "candidate"};

}  // namespace kgrade
