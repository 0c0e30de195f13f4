// One word on a candidate, and the class of arithmetic that its errors are consistent with.
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

std::string_view to_string(Verdict verdict);  // "wrong_answer"
std::optional<Verdict> verdict_from(std::string_view text);

// What arithmetic an error is consistent with, best first; none is beyond them all. Exact is none at all: it
// is the class of problems that allow no rounding (`precision: exact`), and of nothing else.
enum class Precision { exact, fp32, tf32, bf16, none };
std::string_view to_string(Precision precision);
Precision precision_from(std::string_view text);  // of the spec's word; none for any other

}  // namespace kgrade
