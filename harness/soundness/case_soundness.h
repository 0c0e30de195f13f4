// Whether one case of a problem refuses wrong answers: each is judged exactly as grading judges a
// candidate's.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "problem/problem.h"
#include "soundness/classes.h"
#include "soundness/lint_book.h"
#include "soundness/other_values.h"
#include "soundness/subject.h"

namespace kgrade {

// What all cases of a problem share. Owns nothing but what it remembers.
struct SoundnessSession {
  Subject& subject;
  const Problem& problem;
  LintBook& book;
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

// Findings go into the session's book. False when there is no sense in going on with other cases: the
// reference fails. An Error when the device has no room for the case.
Result<bool> look_at_case(SoundnessSession& session, const Case& bound);

// What only all cases together can show.
void conclude(SoundnessSession& session);

}  // namespace kgrade
