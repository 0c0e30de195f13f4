#include "soundness/class_separation.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgrade {

bool ClassSeparation::applies_to(const Problem& problem, const Case& bound) {
  return !problem.only_fp32 && problem.dtype == Dtype::float32 && has_output_by_norm(bound) &&
         has_operands(bound);
}

std::optional<Error> ClassSeparation::try_case(ReferenceRunner& runner, const Case& bound,
                                               const Acceptance& acceptance, std::uint64_t seed,
                                               CallOutputs& base) {
  constexpr std::int64_t many_elements = std::int64_t{1} << 20;
  const Draw draw{seed, 0};
  // The errors of few elements vary widely.
  const auto errors = bound.tensor_bytes(1) < many_elements ? measure_classes(runner, bound, seed, 2)
                                                            : measure_classes_on(runner, bound, draw, base);
  if (!errors) return errors.error();
  errors_.add(*errors);
  return try_lower_class(runner, bound, acceptance, draw, base);
}

std::optional<Error> ClassSeparation::try_lower_class(ReferenceRunner& runner, const Case& bound,
                                                      const Acceptance& acceptance, const Draw& draw,
                                                      CallOutputs& base) {
  const Precision asked = precision_from(problem_.precision);
  if (asked >= Precision::bf16) return std::nullopt;
  const OperandFormat format = asked == Precision::fp32 ? OperandFormat::tf32 : OperandFormat::bf16;
  const auto lower = rounded_answer(runner, draw, bound, format);
  if (!lower) return lower.error();
  for (std::size_t i = 0; i < base.values().size() && !lower_is_refused_; ++i) {
    const Judgement judgement = acceptance.judge(i, (*lower)->errors(i, base));
    if (judgement.verdict != Verdict::accepted) lower_is_refused_ = true;
    if (acceptance.is_exact(i) || judgement.figure() < nearest_) continue;
    nearest_ = judgement.figure();
    nearest_text_ = fmt::format("at most, on case '{}' and '{}', {}", bound.name, output_of(bound, i).name,
                                acceptance.figures(i, judgement));
  }
  return std::nullopt;
}

void ClassSeparation::conclude(LintFindings& findings) const {
  if (errors_.count() == 0) return;
  if (auto overlap = why_not_separate(errors_.root_mean_square())) {
    findings.add("classes-overlap", overlap->message, overlap->remedy);
    return;
  }
  const Precision asked = precision_from(problem_.precision);
  if (asked >= Precision::bf16 || lower_is_refused_) return;
  findings.add("lower-class-passes",
               fmt::format("an answer of {} arithmetic is accepted as {} on every case: {}",
                           asked == Precision::fp32 ? "TF32" : "bf16", problem_.precision, nearest_text_),
               "tighten `thresholds`: `kgrade calibrate` measures where they belong");
}

}  // namespace kgrade
