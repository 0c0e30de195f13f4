#include "check/finding.h"

#include <algorithm>

namespace kgrade {

std::string_view to_string(CheckStatus status) {
  constexpr std::array<std::string_view, 5> names = {"clean", "findings", "compile_error",
                                                     "signature_mismatch", "unsupported"};
  return names[static_cast<std::size_t>(status)];
}

bool all_clean(const CheckRecord& record) {
  return std::all_of(
      record.candidates.begin(), record.candidates.end(),
      [](const CheckedCandidate& candidate) { return candidate.status == CheckStatus::clean; });
}

}  // namespace kgrade
