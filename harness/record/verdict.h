// The verdict on a candidate, and the precision class that its errors are consistent with. CONTRIBUTING.md
// ("A verdict") lists all that a new verdict changes.
#pragma once

#include <optional>
#include <string_view>

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
inline constexpr int verdict_count = static_cast<int>(Verdict::unsupported) + 1;

std::string_view to_string(Verdict verdict);  // "wrong_answer"
std::optional<Verdict> verdict_from(std::string_view text);

// The precision classes, best first. `none` means that the error is beyond all classes. `exact` means no
// error at all; only problems that allow no rounding (`precision: exact`) have this class.
enum class Precision { exact, fp32, tf32, bf16, none };
std::string_view to_string(Precision precision);
Precision precision_from(std::string_view text);  // from the word in the spec; none for any other word

}  // namespace kgrade
