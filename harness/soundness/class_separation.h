// Whether the precision classes of a problem (fp32, TF32, bf16) can be told apart by its cases. Each case
// gives the errors of right answers in every class. The conclusion needs the errors of all cases.
#pragma once

#include <cstdint>
#include <optional>

#include "problem/case.h"
#include "soundness/lint_findings.h"
#include "soundness/precision_classes.h"
#include "soundness/reference_runner.h"

namespace kgrade {

class ClassSeparation {
 public:
  // Whether the classes differ on a case. They do not differ if the problem has no lower classes, or if the
  // case has no float32 operands. Tensor cores take operands of 16 bits as they are, and operands of few bits
  // are exact in every class. Outputs that are compared exactly have no class.
  static bool applies_to(const Problem& problem, const Case& bound);

  // Measures the runner's case. `base` is the oracle's answer to draw 0 of the seed, after keep(). An Error
  // if a call fails.
  std::optional<Error> try_case(ReferenceRunner& runner, const Case& bound, std::uint64_t seed,
                                CallOutputs& base);

  // The errors in all cases that were tried so far.
  const ClassStatistics& errors() const { return errors_; }

  // Adds a finding if the classes overlap.
  void conclude(LintFindings& findings) const;

 private:
  ClassStatistics errors_;
};

}  // namespace kgrade
