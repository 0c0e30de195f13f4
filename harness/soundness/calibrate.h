// `kgrade calibrate`: measures the precision classes of a problem and writes the resulting thresholds into
// its file. Nothing else in the file changes.
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

// Thresholds by element type, for the types that were measured.
using MeasuredThresholds = std::map<Dtype, Thresholds>;

// The thresholds of a problem, and of its outputs that have thresholds of their own.
struct AllThresholds {
  MeasuredThresholds common;
  std::map<std::string, MeasuredThresholds> outputs = {};  // by name
  bool only_fp32 = false;                                  // there is no other class to write
};

// The text of the file with the line `thresholds: {...}` and below it `# calibrated: <how>`. The two lines
// replace existing ones. Without existing lines they are inserted below `precision`, or at the frontmatter's
// end. Thresholds have two digits. Thresholds of float32 stand directly in the map. Thresholds of another
// type stand below its name, without defaults except the default of fp32. An Error if there is no
// frontmatter, or if `thresholds` has other keys, which would be lost.
Result<std::string> with_thresholds(std::string_view content, const AllThresholds& thresholds,
                                    const std::string& how);

// "{fp32: 1.0e-06, tf32: 1.0e-03, bf16: 5.0e-03, float16: {fp32: 5.0e-06}, loss: {fp32: 2.0e-06, ...}}".
std::string thresholds_text(const AllThresholds& thresholds);

// The thresholds rounded as with_thresholds() writes them.
Thresholds with_two_digits(const Thresholds& thresholds);

struct CalibrateOptions : SoundnessOptions {
  std::vector<std::string> cases;  // names; empty: all that the device can run in reasonable time
  bool write = true;               // false: the file is not changed
};

struct CalibratedCase {
  std::string name;
  std::string output;            // one with its own thresholds; empty: all others
  Dtype dtype = Dtype::float32;  // of other types only fp32 is measured
  ClassErrors errors;            // as measured
  std::string skipped;           // why it was not measured; empty: it was
};

// The errors of an output that has thresholds of its own, or of all others.
struct CalibratedOutput {
  std::string output;                 // its name; empty: all others
  bool is_measured = false;           // it was measured in all classes of float32
  ClassErrors errors = {};            // in float32, the largest of all cases
  ClassErrors root_mean_square = {};  // in float32; decides whether classes are separate
  // The errors of fp32 in the other types that the problem lists, and in float32 if there is no lower class.
  std::map<Dtype, double> fp32_errors = {};
};

struct Calibration {
  std::vector<CalibratedCase> cases;
  std::vector<CalibratedOutput> outputs;
  // The orders of summation that were measured besides the reference's own (soundness/summation_orders.h).
  std::set<std::string> orders;
  bool orders_tried = false;  // a small case was measured; only there orders are searched
  AllThresholds thresholds;   // with two digits, as written
  // "2026-01-31 on NVIDIA H200, errors fp32 1.2e-07, ..."; empty until all thresholds are known.
  std::string how;
};

struct CalibrationOutcome {
  std::string nothing_to_do;               // why nothing is measured; not a failure
  std::optional<Calibration> calibration;  // may be partial after a failure
  Failure failure;                         // if set, nothing is written
};

// Calibrates every element type that the problem lists. Does nothing if no output is compared by its norm.
// Only fp32 is measured for a 16-bit type: its operands are exact in TF32, and rounding them gives no lower
// class. The threshold of such a type is its default (derived in problem/read_dtypes.cc), or four times the
// measured error if that is larger. The threshold of float32 follows from the same rule if the problem has no
// lower class.
//
// An output with its own entry in the file's `thresholds` is measured alone. Errors are in units of the usual
// norm, as in grading (verify/expected_scales.h).
//
// The problem's file is replaced atomically, and only if the new text parses to these thresholds. Failures:
// classes are not separate, the reference fails, the file has changed meanwhile, or the existing thresholds
// cannot be replaced.
CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options, Bench& bench);

}  // namespace kgrade
