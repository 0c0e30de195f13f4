// The part of `kgrade lint` that runs something: whether a problem, on a device, refuses wrong answers.
#pragma once

#include <string>
#include <vector>

#include "problem/lint.h"
#include "soundness/classes.h"
#include "soundness/workshop.h"

namespace kgrade {

struct SoundnessReport {
  std::vector<LintFinding> findings;  // all of them errors
  std::vector<std::string> notes;     // what was not looked at, and why
  int cases = 0;                      // that were looked at
  int hidden = 0;                     // of them: hidden shapes
  ClassErrors errors;                 // over them
  // The device has no means for this reference, or no case fits into the host's memory: see the notes.
  bool cannot_run = false;
  Failure failure;  // of the machine, for other problems too
};

// What is looked at.
struct SoundnessScope {
  bool deep = false;       // every case that the device can run, not just the small ones
  std::size_t hidden = 0;  // so many hidden shapes, drawn from `fuzz` as grading draws them
  std::uint64_t hidden_seed = 0;
};

// What an oracle's call may cost for a case to be looked at. A case is called some thirty times.
struct SoundnessLimits {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  bool bench = false;  // cases of that role too
};

// The small cases alone; deep, all that the device can run in reasonable time.
SoundnessLimits soundness_limits(bool deep, bool emulated);

// Why a case is not looked at; empty when it is.
std::string why_passed_over(const Case& bound, const SoundnessLimits& limits);

// A problem without findings of form and meaning, whose contestants are being built. Where no case was looked
// at there is a finding, cannot_run or a failure: nothing is never sound.
SoundnessReport look_at_soundness(Workshop& workshop, ProblemBuilds& builds, const SoundnessScope& scope);

}  // namespace kgrade
