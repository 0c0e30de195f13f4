// Whether a problem's reference uses the scalar parameters that no shape depends on. Each case is answered
// again with other values of the parameters that have changed no output yet. A parameter that is never used
// is a fault, although `require` or `flops` may name it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/case.h"
#include "soundness/dependence.h"
#include "soundness/lint_findings.h"
#include "soundness/reference_runner.h"

namespace kgrade {

class ScalarUse {
 public:
  // Keeps a reference.
  explicit ScalarUse(const Problem& problem) : problem_(problem), unused_(scalars_without_shape(problem)) {}

  // `base` is the oracle's answer to the draw, and must be kept. Sets other cases in the runner. An Error if
  // a call fails.
  std::optional<Error> try_case(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                CallOutputs& base);

  // Adds the parameters that changed no output on any case.
  void conclude(LintFindings& findings) const;

  // Parameters of which nothing is known, since they could not take another value on any case.
  std::vector<std::string> not_varied() const;

 private:
  static Result<bool> changes_output(ReferenceRunner& runner, const Case& changed, const Draw& draw,
                                     CallOutputs& base);

  const Problem& problem_;
  std::set<std::string> unused_;  // so far
  std::set<std::string> varied_;  // could take another value on at least one case
};

}  // namespace kgrade
