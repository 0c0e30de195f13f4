// Whether one case of a problem refuses wrong answers, each judged exactly as grading judges a candidate's,
// and what only all cases together can show.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "problem/problem.h"
#include "soundness/dependence.h"
#include "soundness/lint_findings.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// What all cases of a problem share. Owns only what it gathers over them.
struct SoundnessSession {
  ReferenceRunner& runner;
  const Problem& problem;
  LintFindings& findings;
  std::uint64_t seed = 0;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // Over the cases so far.
  ClassStatistics errors = {};
  bool lower_class_refused = false;  // on one of them at least
  double lower_class_error = 0;      // the largest, of the class below the one asked for
  // Parameters that no shape depends on and that have changed no output yet, and those of them that could
  // take another value on one case at least.
  std::set<std::string> ignored = scalars_without_shape(problem);
  std::set<std::string> varied = {};
  int cases = 0;
};

// Adds to the session's findings. False when the reference fails, so that other cases need not be checked. An
// Error when the device has no room for the case.
Result<bool> check_case_soundness(SoundnessSession& session, const Case& bound);

// Only whether the reference is precise on this case. Adds a finding where it is not.
Result<bool> check_reference_precision(SoundnessSession& session, const Case& bound);

// Adds what only all cases together can show.
void conclude(SoundnessSession& session);

}  // namespace kgrade
