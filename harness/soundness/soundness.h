// The part of `kgrade lint` that runs something: checks on a device whether a problem refuses wrong answers.
#pragma once

#include <string>
#include <vector>

#include "problem/lint.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

struct SoundnessReport {
  std::vector<LintFinding> findings;  // errors, except for a Model's unused weights
  std::vector<std::string> notes;     // what was not checked, and why
  int cases = 0;                      // checked cases
  int hidden = 0;                     // hidden cases among them
  ClassErrors errors;                 // over these cases
  // The device cannot run this reference, or no case fits into the host's memory. `notes` says which.
  bool cannot_run = false;
  Failure failure;  // of the machine, so other problems would fail too
};

// The choice of the cases that are checked.
struct SoundnessScope {
  bool deep = false;       // every case that the device can run, not only small ones
  std::size_t hidden = 0;  // the number of hidden cases, drawn from `fuzz` as in grading
  std::uint64_t hidden_seed = 0;
};

// Checks a problem without other findings, whose contestants are being built. If no case was checked, the
// report has a finding, cannot_run or a failure.
SoundnessReport check_soundness(SoundnessContext& context, ProblemBuilds& builds,
                                const SoundnessScope& scope);

}  // namespace kgrade
