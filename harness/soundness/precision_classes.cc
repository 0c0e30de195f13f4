#include "soundness/precision_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/dtype.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

constexpr std::array<double ClassErrors::*, 4> all_classes = {&ClassErrors::fp32, &ClassErrors::tf32,
                                                              &ClassErrors::fp16, &ClassErrors::bf16};

constexpr const char* how_to_separate =
    "draw the inputs from uniform() or normal(), since small integers and powers of two are exact in every "
    "class; where single precision is too far off, avoid sums that cancel and divisions by small values, or "
    "leave out the cases in which they occur";

Error overlap(std::string_view better, double better_error, std::string_view worse, double worse_error) {
  return {fmt::format("the classes {} and {} cannot be told apart: their errors are {:.1e} and {:.1e}, and "
                      "must differ by a factor of {} at least",
                      better, worse, better_error, worse_error, least_separation),
          how_to_separate,
          {}};
}

// The error of an answer. The answer is freed when its error is known, before the next call.
Result<double> error_of_call(const Result<std::unique_ptr<CallOutputs>>& answer, CallOutputs& expected,
                             const Case& bound, const ExpectedScales& scales) {
  if (!answer) return answer.errors();
  return rounding_error_of(**answer, expected, bound, scales);
}

// The tensors that a rounded answer rounds. Computed inputs may guarantee something that rounding breaks, so
// they are rounded only if there is no other operand.
std::vector<std::size_t> operands_of(const Case& bound) {
  std::vector<std::size_t> drawn;
  std::vector<std::size_t> computed;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    // Integers are not rounded, because a rounded shape or label would mean something else. The initial
    // contents of an output are an operand, unless they are constant, because rounding a constant gives no
    // errors to measure.
    const Tensor& tensor = bound.tensors[i];
    const Dtype dtype = bound.dtype_of(tensor);
    const bool is_read = !tensor.output || (tensor.begins_as_drawn && !tensor.begins_as_constant());
    if (is_read && !is_integer(dtype) && !is_float8(dtype))
      (tensor.is_computed() ? computed : drawn).push_back(i);
  }
  return drawn.empty() ? computed : drawn;
}

}  // namespace

bool has_operands(const Case& bound) { return !operands_of(bound).empty(); }

float rounded(float value, OperandFormat format) {
  if (!std::isfinite(value)) return value;
  switch (format) {
    case OperandFormat::tf32: {
      // A carry out of the mantissa correctly raises the exponent, up to infinity.
      constexpr std::uint32_t dropped = 13;
      constexpr std::uint32_t below_half = (1u << (dropped - 1)) - 1;
      const std::uint32_t bits = bits_of(value);
      const std::uint32_t raised = bits + below_half + (bits >> dropped & 1u);
      return float_of(raised >> dropped << dropped);
    }
    case OperandFormat::bf16:
      return rounded_to(Dtype::bfloat16, value);
    case OperandFormat::fp16:
      break;
  }
  return rounded_to(Dtype::float16, value);
}

void ClassStatistics::add(const ClassErrors& errors) {
  for (const auto member : all_classes) {
    largest_.*member = std::max(largest_.*member, errors.*member);
    squares_.*member += errors.*member * errors.*member;
  }
  ++count_;
}

void ClassStatistics::add(const ClassStatistics& other) {
  for (const auto member : all_classes) {
    largest_.*member = std::max(largest_.*member, other.largest_.*member);
    squares_.*member += other.squares_.*member;
  }
  count_ += other.count_;
}

ClassErrors ClassStatistics::root_mean_square() const {
  ClassErrors errors;
  if (count_ == 0) return errors;
  for (const auto member : all_classes) errors.*member = std::sqrt(squares_.*member / count_);
  return errors;
}

std::optional<Error> why_not_separate(const ClassErrors& errors) {
  const double fp32 = std::max(errors.fp32, least_fp32_error);
  // The comparisons are written so that NaN fails.
  if (!(errors.tf32 >= least_separation * fp32)) return overlap("fp32", errors.fp32, "tf32", errors.tf32);
  if (!(errors.bf16 >= least_separation * errors.tf32))
    return overlap("tf32", errors.tf32, "bf16", errors.bf16);
  return std::nullopt;
}

Thresholds thresholds_for(const ClassErrors& errors) {
  const double fp32 = std::max(errors.fp32, least_fp32_error);
  Thresholds thresholds;
  thresholds.fp32 = std::sqrt(fp32 * errors.tf32);
  thresholds.tf32 = std::sqrt(errors.tf32 * errors.bf16);
  thresholds.bf16 = errors.bf16 * std::sqrt(errors.bf16 / errors.tf32);
  return thresholds;
}

std::string to_string(const ClassErrors& errors) {
  return fmt::format("fp32 {:.1e}, tf32 {:.1e}, fp16 {:.1e}, bf16 {:.1e}", errors.fp32, errors.tf32,
                     errors.fp16, errors.bf16);
}

Result<std::unique_ptr<CallOutputs>> rounded_answer(ReferenceRunner& runner, const Draw& draw,
                                                    const Case& bound, OperandFormat format) {
  const ElementChange change = [format](std::uint64_t, std::span<float> slice) {
    in_parts(slice.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) slice[i] = rounded(slice[i], format);
    });
  };
  std::vector<InputEdit> edits;
  for (const std::size_t i : operands_of(bound))
    edits.push_back({i, 0, {}, static_cast<std::uint64_t>(bound.tensors[i].elements), change});
  return runner.call_oracle(draw, edits);
}

Result<ClassStatistics> measure_classes_on(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                           CallOutputs& expected, double reordered_fp32,
                                           const ExpectedScales& scales) {
  ClassErrors errors;
  const auto single = error_of_call(runner.call_reference(draw), expected, bound, scales);
  if (!single) return single.errors();
  errors.fp32 = std::max(reordered_fp32, *single);
  for (const auto& [format, error] :
       {std::pair{OperandFormat::tf32, &errors.tf32}, std::pair{OperandFormat::fp16, &errors.fp16},
        std::pair{OperandFormat::bf16, &errors.bf16}}) {
    const auto found = error_of_call(rounded_answer(runner, draw, bound, format), expected, bound, scales);
    if (!found) return found.errors();
    *error = *found;
  }
  ClassStatistics statistics;
  statistics.add(errors);
  return statistics;
}

Result<ClassStatistics> measure_classes(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                        std::uint32_t draws, double reordered_fp32,
                                        const ExpectedScales& scales) {
  ClassStatistics all;
  for (std::uint32_t index = 0; index < draws; ++index) {
    const Draw draw{seed, index};
    const auto expected = runner.call_oracle(draw);
    if (!expected) return expected.errors();
    if (auto error = (*expected)->keep()) return *error;
    const auto errors = measure_classes_on(runner, bound, draw, **expected, reordered_fp32, scales);
    if (!errors) return errors.errors();
    all.add(*errors);
  }
  return all;
}

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
