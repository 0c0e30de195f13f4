// The verdict on a candidate, and the precision class that its errors are consistent with. CONTRIBUTING.md
// ("A verdict") lists all that a new verdict changes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/enum_words.h"

namespace kgrade {

enum class Verdict {
  accepted,
  wrong_answer,
  low_precision,
  compile_error,
  signature_mismatch,
  runtime_error,
  time_limit,
  memory_limit,
  out_of_bounds,
  input_modified,
  unstable,
  cheating,
  unsupported,
};
template <>
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Verdict::unsupported) + 1>
    enum_words<Verdict> = {"accepted",           "wrong_answer",   "low_precision", "compile_error",
                           "signature_mismatch", "runtime_error",  "time_limit",    "memory_limit",
                           "out_of_bounds",      "input_modified", "unstable",      "cheating",
                           "unsupported"};
static_assert(!enum_words<Verdict>.back().empty(), "each verdict has a word");

// The precision classes, best first. `none` means that the error is beyond all classes. `exact` means no
// error at all; only problems that allow no rounding (`precision: exact`) have this class.
enum class Precision { exact, fp32, tf32, bf16, none };
template <>
inline constexpr std::array<std::string_view, 5> enum_words<Precision> = {"exact", "fp32", "tf32", "bf16",
                                                                          "none"};

// The class with this word in a problem's file. Precision::none for any other word.
inline Precision precision_from(std::string_view text) {
  return enum_from<Precision>(text).value_or(Precision::none);
}

}  // namespace kgrade
