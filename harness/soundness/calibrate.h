// `kgrade calibrate`: measures the precision classes of a problem and writes the thresholds that follow.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "soundness/classes.h"
#include "soundness/threshold_lines.h"
#include "soundness/workshop.h"

namespace kgrade {

struct CalibrateOptions : WorkshopOptions {
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
  std::set<std::string> orders;         // of summation, besides the reference's own: soundness/summation.h
  bool orders_tried = false;            // on a small case: on others there are none to be found
  MeasuredThresholds thresholds;        // with two digits, as they are written
  // "2026-01-31 on NVIDIA H200, errors fp32 1.2e-07, ..."; empty until all thresholds are known.
  std::string how;
};

struct CalibrationOutcome {
  std::optional<Calibration> calibration;  // as far as it came
  Failure failure;                         // then nothing is written
};

// Of every element type that the problem lists. Operands of 16 bits are exact in TF32, and no lower class is
// to be had by rounding them: what is measured of such a type is fp32. Its threshold is the type's default
// (problem/read_dtypes.cc says where that comes from), and where the error is larger than a quarter of it, four
// times the error.
//
// The problem's file is replaced as write_file_atomically() does it, and only when the new text is read back
// with these thresholds. A failure: classes that do not separate, a reference that fails, a file that others
// have changed meanwhile, thresholds that stand where they cannot be replaced.
CalibrationOutcome calibrate(const Problem& problem, const CalibrateOptions& options,
                             const Machinery& machinery);

}  // namespace kgrade
