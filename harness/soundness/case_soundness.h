// Checks whether one case of a problem refuses wrong answers. Each wrong answer is judged exactly as grading
// judges a candidate's. conclude() adds findings that need the results of all cases.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "problem/problem.h"
#include "soundness/dependence.h"
#include "soundness/lint_findings.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

// The state that all cases of a problem share. Owns only the results that it gathers.
struct SoundnessSession {
  ReferenceRunner& runner;
  const Problem& problem;
  LintFindings& findings;
  std::uint64_t seed = 0;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // Results of the cases so far.
  ClassSeparation classes = {};
  ScalarUse scalars = ScalarUse(problem);
  // Whether the file computed other values of these inputs on at least one case, by the inputs' names.
  std::map<std::string, bool> computed_vary = {};
  int cases = 0;
};

// Adds to the session's findings. False if the reference fails, so that other cases need not be checked. An
// Error if the device has no room for the case.
Result<bool> check_case_soundness(SoundnessSession& session, const Case& bound);

// Checks only whether the reference is precise on this case. Adds a finding if it is not.
Result<bool> check_reference_precision(SoundnessSession& session, const Case& bound);

// Adds the findings that need the results of all cases.
void conclude(SoundnessSession& session);

}  // namespace kgrade
