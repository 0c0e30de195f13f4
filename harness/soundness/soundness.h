// The part of `kgrade lint` that runs something: whether a problem, on a device, refuses wrong answers.
#pragma once

#include <string>
#include <vector>

#include "problem/lint.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

struct SoundnessReport {
  std::vector<LintFinding> findings;  // errors, but for a Model's weights that do not count
  std::vector<std::string> notes;     // what was not checked, and why
  int cases = 0;                      // that were checked
  int hidden = 0;                     // of them: hidden shapes
  ClassErrors errors;                 // over them
  // The device has no means for this reference, or no case fits into the host's memory: see the notes.
  bool cannot_run = false;
  Failure failure;  // of the machine, for other problems too
};

// Which cases are checked.
struct SoundnessScope {
  bool deep = false;       // every case that the device can run, not just the small ones
  std::size_t hidden = 0;  // so many hidden shapes, drawn from `fuzz` as grading draws them
  std::uint64_t hidden_seed = 0;
};

// Of a problem without findings of form and meaning, whose contestants are being built. Where no case was
// checked there is a finding, cannot_run or a failure.
SoundnessReport check_soundness(SoundnessContext& context, ProblemBuilds& builds,
                                const SoundnessScope& scope);

}  // namespace kgrade
