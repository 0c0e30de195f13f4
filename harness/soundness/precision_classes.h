// The errors that arithmetic of each precision class makes on a problem, whether they can be told apart, and
// the thresholds that follow.
//
// An error is that of verify/judgement.h: norm of the difference from the oracle over the oracle's norm,
// which is that of the same output, cancelled or not (verify/judgement.h): thresholds are on the safe side.
// - fp32: the reference, which makes every product and sum in single precision, in its own order: one term
//   after the other. `kgrade calibrate` measures other orders too (soundness/summation_orders.h).
// - tf32, fp16, bf16: the oracle on inputs that are rounded to the format, as tensor cores take them. TF32
// and
//   fp16 have mantissas of one length, so that there is one class for both; fp16 is shown for its range.
// Thresholds follow from the largest error of all cases, since an answer has to be within its class on each
// of them. Whether classes separate is seen from the root mean square over cases and draws: the largest error
// is that of the case with the fewest elements, and chance decides it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// Operands as lower precisions hold them, rounded to the nearest value, ties to even (IEEE 754-2019, 4.3.1).
//
// The formats that tensor cores take operands in, by the CUDA C++ Programming Guide, "Alternate
// floating-point types": TF32 has 10 bits of mantissa and the exponent of float, bfloat16 7 bits and the
// exponent of float, half 10 bits and 5 bits of exponent.
enum class OperandFormat { tf32, fp16, bf16 };

// Values that are not finite stay as they are; those beyond the largest half become infinite.
float rounded(float value, OperandFormat format);

struct ClassErrors {
  double fp32 = 0;
  double tf32 = 0;
  double fp16 = 0;  // infinite where a value is beyond its range
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

// Neighbouring classes differ by at least this much, or no threshold between them is safe.
inline constexpr double least_separation = 4;

// The least error that rounding the largest output to float causes: 2^-24.
inline constexpr double least_fp32_error = 0x1p-24;

// Why the classes cannot be told apart, in one sentence with the figures, and a remedy; without a place.
std::optional<Error> why_not_separate(const ClassErrors& errors);

// Between two classes the geometric mean of their errors, so that either has the same room; for the last one
// as far above its error as the step before. The classes must be separate.
Thresholds thresholds_for(const ClassErrors& errors);

// "fp32 1.2e-07, tf32 3.1e-04, fp16 3.1e-04, bf16 2.5e-03".
std::string to_string(const ClassErrors& errors);

// Whether a case has an input that rounding to a format can change: one that is no integer, and has more than eight bits.
bool has_operands(const Case& bound);

// The oracle's answer on a draw of the runner's case when every such input is rounded to a format.
Result<std::unique_ptr<CallOutputs>> rounded_answer(ReferenceRunner& runner, const Draw& draw,
                                                    const Case& bound, OperandFormat format);

// On the runner's case, of its outputs that are compared by the norm; the oracle's answer to a draw is known,
// and kept. `reordered_fp32`: the error of fp32 with sums in other orders, where it was measured; the larger
// of the two errors counts.
Result<ClassStatistics> measure_classes_on(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                           CallOutputs& expected, double reordered_fp32 = 0);

// The same on draws 0 to `draws` - 1.
Result<ClassStatistics> measure_classes(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                        std::uint32_t draws, double reordered_fp32 = 0);

}  // namespace kgrade
