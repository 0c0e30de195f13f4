// Measures the errors of each precision class on a problem, checks whether the classes can be distinguished,
// and derives thresholds.
//
// An error is the norm of the difference from the oracle over the oracle's norm (verify/judgement.h). `kgrade
// calibrate` takes the usual norm if that is larger, as grading does: sums of the same output may cancel.
// - fp32: the reference, which computes every product and sum in single precision, one term after the other.
//   `kgrade calibrate` measures other orders too (soundness/summation_orders.h).
// - tf32, fp16, bf16: the oracle on operands that are rounded to the format, as tensor cores take them.
//   Operands are inputs and the initial contents of outputs. TF32 and fp16 have mantissas of the same length,
//   so they are one class. fp16 is shown because of its range. Computed inputs are rounded only if there are
//   no other operands.
//
// Thresholds follow from the largest error of all cases, since an answer has to be within its class on each
// case. Whether classes are separate is decided by the root mean square over cases and draws. The largest
// error would depend on chance, because it usually comes from the case with the fewest elements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/lint_findings.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// Operands as lower precisions hold them, rounded to the nearest value, ties to even (IEEE 754-2019, 4.3.1).
//
// Formats of tensor cores' operands (CUDA C++ Programming Guide, "Alternate floating-point types"): TF32 has
// 10 bits of mantissa and the exponent of float, bfloat16 7 bits and the exponent of float, half 10 bits and
// 5 bits of exponent.
enum class OperandFormat { tf32, fp16, bf16 };

// Values that are not finite stay as they are. In fp16, values beyond the largest half become infinite.
float rounded(float value, OperandFormat format);

struct ClassErrors {
  double fp32 = 0;
  double tf32 = 0;
  double fp16 = 0;  // infinite if a value is beyond its range
  double bf16 = 0;
};

class ClassStatistics {
 public:
  void add(const ClassErrors& errors);
  void add(const ClassStatistics& other);

  int count() const { return count_; }
  const ClassErrors& largest() const { return largest_; }
  ClassErrors root_mean_square() const;

 private:
  ClassErrors largest_;
  ClassErrors squares_;
  int count_ = 0;
};

// Neighbouring classes must differ by at least this factor, or no threshold between them is safe.
inline constexpr double least_separation = 4;

// The smallest error assumed for fp32, from rounding outputs to float: 2^-24.
inline constexpr double least_fp32_error = 0x1p-24;

// Why the classes cannot be distinguished, in one sentence with the figures, and a remedy. The Error names no
// place in a file.
std::optional<Error> why_not_separate(const ClassErrors& errors);

// The threshold between two classes is the geometric mean of their errors, so that both have equal room. The
// last threshold has the same ratio to its class's error as the one before. The classes must be separate.
Thresholds thresholds_for(const ClassErrors& errors);

// "fp32 1.2e-07, tf32 3.1e-04, fp16 3.1e-04, bf16 2.5e-03".
std::string to_string(const ClassErrors& errors);

// Whether a case has an operand that rounding to a format can change: real numbers of more than eight bits.
bool has_operands(const Case& bound);

// The oracle's answer on a draw of the runner's case with all such operands rounded to a format.
Result<std::unique_ptr<CallOutputs>> rounded_answer(ReferenceRunner& runner, const Draw& draw,
                                                    const Case& bound, OperandFormat format);

// Measures the classes on one draw of the runner's case, for outputs that are compared by the norm.
// `expected` is the oracle's answer, which must be kept. `reordered_fp32` is the error of fp32 with sums in
// other orders, if it was measured. The larger of the two fp32 errors counts.
Result<ClassStatistics> measure_classes_on(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                           CallOutputs& expected, double reordered_fp32 = 0,
                                           const ExpectedScales& scales = {});

// Measures the classes on draws 0 to `draws` - 1.
Result<ClassStatistics> measure_classes(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                        std::uint32_t draws, double reordered_fp32 = 0,
                                        const ExpectedScales& scales = {});

// Whether the precision classes of a problem (fp32, TF32, bf16) can be told apart by its cases. Each case
// gives the errors of right answers in every class. The conclusion needs the errors of all cases.
class ClassSeparation {
 public:
  // Whether the classes differ on a case. They do not differ if the problem has no lower classes, or if the
  // case has no float32 operands. Tensor cores take operands of 16 bits as they are, and operands of few bits
  // are exact in every class. Outputs that are compared exactly have no class.
  static bool applies_to(const Problem& problem, const Case& bound);

  // Measures the runner's case. `base` is the oracle's answer to draw 0 of the seed, after keep(). An Error
  // if a call fails.
  std::optional<Error> try_case(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                CallOutputs& base);

  // The errors in all cases that were tried so far.
  const ClassStatistics& errors() const { return errors_; }

  // Adds a finding if the classes overlap.
  void conclude(LintFindings& findings) const;

 private:
  ClassStatistics errors_;
};

}  // namespace kgrade
