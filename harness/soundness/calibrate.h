// `kgrade calibrate`: measures the precision classes of a problem and writes the thresholds that follow into
// the text of its file, of which it changes nothing else.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// Of each element type that was measured.
using MeasuredThresholds = std::map<Dtype, Thresholds>;

// The text with the line `thresholds: {...}` and below it `# calibrated: <how>`. They replace such lines;
// where there are none, they come below `precision` or at the frontmatter's end. The thresholds have two
// digits. Those of float32 are written as they are, those of other types below their names, without the
// types' defaults except that of fp32. An Error when there is no frontmatter, and when `thresholds` holds
// other keys, which would be lost.
Result<std::string> with_thresholds(std::string_view content, const MeasuredThresholds& thresholds,
                                    const std::string& how);

// "{fp32: 1.0e-06, tf32: 1.0e-03, bf16: 5.0e-03, float16: {fp32: 5.0e-06}}".
std::string thresholds_text(const MeasuredThresholds& thresholds);

// As with_thresholds() writes them.
Thresholds with_two_digits(const Thresholds& thresholds);

struct CalibrateOptions : SoundnessOptions {
  std::vector<std::string> cases;  // by name; empty: all that the device can run in reasonable time
  bool write = true;               // else nothing is changed
};

struct CalibratedCase {
  std::string name;
  Dtype dtype = Dtype::float32;  // of the other types fp32 alone is measured
  ClassErrors errors;            // that were measured
  std::string skipped;           // why it was not measured; empty: it was
};

struct Calibration {
  std::vector<CalibratedCase> cases;
  ClassErrors errors;                   // in float32, the largest of all cases
  std::map<Dtype, double> fp32_errors;  // in the other types that the problem lists
  std::set<std::string> orders;   // of summation, besides the reference's own: soundness/summation_orders.h
  bool orders_tried = false;      // on a small case, where alone orders are searched
  MeasuredThresholds thresholds;  // with two digits, as they are written
  // "2026-01-31 on NVIDIA H200, errors fp32 1.2e-07, ..."; empty until all thresholds are known.
  std::string how;
};

struct CalibrationOutcome {
  std::string nothing_to_do;               // why nothing is measured, which is no failure
  std::optional<Calibration> calibration;  // as far as it came
  Failure failure;                         // then nothing is written
};

// For every element type that the problem lists, and nothing where no output is compared by its norm.
// Operands of 16 bits are exact in TF32, and rounding them gives no lower class, so only fp32 is measured for
// such a type. Its threshold is the type's default (problem/read_dtypes.cc says where that comes from), and
// where the error is larger than a quarter of it, four times the error.
//
// The problem's file is replaced as write_file_atomically() does it, and only when the new text is read back
// with these thresholds. A failure: classes that do not separate, a reference that fails, a file that has
// changed meanwhile, thresholds that stand where they cannot be replaced.
CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options, Bench& bench);

}  // namespace kgrade
