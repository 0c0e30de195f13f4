#include "soundness/class_separation.h"

namespace kgrade {

bool ClassSeparation::applies_to(const Problem& problem, const Case& bound) {
  return !problem.only_fp32 && problem.dtype == Dtype::float32 && has_output_by_norm(bound) &&
         has_operands(bound);
}

std::optional<Error> ClassSeparation::try_case(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                               CallOutputs& base) {
  constexpr std::int64_t many_elements = std::int64_t{1} << 20;
  const Draw draw{seed, 0};
  // The errors of few elements vary widely.
  const auto errors = bound.tensor_bytes(1) < many_elements ? measure_classes(runner, bound, seed, 2)
                                                            : measure_classes_on(runner, bound, draw, base);
  if (!errors) return errors.error();
  errors_.add(*errors);
  return std::nullopt;
}

void ClassSeparation::conclude(LintFindings& findings) const {
  if (errors_.count() == 0) return;
  if (auto overlap = why_not_separate(errors_.root_mean_square()))
    findings.add("classes-overlap", overlap->message, overlap->remedy);
}

}  // namespace kgrade
