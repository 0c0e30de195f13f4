#include "record/verdict.h"

#include <array>

namespace kgrade {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_names = {
    "accepted",      "wrong_answer", "low_precision", "compile_error", "signature_mismatch",
    "runtime_error", "time_limit",   "memory_limit",  "out_of_bounds", "input_modified",
    "unstable",      "cheating",     "unsupported"};
static_assert(!verdict_names.back().empty(), "each verdict has a name");

constexpr std::array<std::string_view, 5> precision_names = {"exact", "fp32", "tf32", "bf16", "none"};

}  // namespace

std::string_view to_string(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> verdict_from(std::string_view text) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    if (verdict_names[i] == text) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::string_view to_string(Precision precision) {
  return precision_names[static_cast<std::size_t>(precision)];
}

Precision precision_from(std::string_view text) {
  for (std::size_t i = 0; i < precision_names.size(); ++i) {
    if (precision_names[i] == text) return static_cast<Precision>(i);
  }
  return Precision::none;
}

}  // namespace kgrade
