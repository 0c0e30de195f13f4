// The judgement of grading on values that lie on the host.
#pragma once

#include <vector>

#include "soundness/answers.h"
#include "spec/problem.h"
#include "verify/verdict.h"

namespace kgrade {

class Judge {
 public:
  // Keeps a reference.
  explicit Judge(const Problem& problem) : problem_(problem) {}

  Judgement judge(const Values& answer, const Values& expected) const {
    return judge(compare(answer, expected, problem_.dtype));
  }
  Judgement judge(const Comparison& comparison) const {
    return kgrade::judge(comparison, problem_.thresholds, required());
  }
  // That of the comparisons.
  Dtype dtype() const { return problem_.dtype; }
  bool accepts(const Values& answer, const Values& expected) const {
    return judge(answer, expected).verdict == Verdict::accepted;
  }
  bool accepts_all(const std::vector<Values>& answers, const std::vector<Values>& expected) const {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!accepts(answers[i], expected[i])) return false;
    }
    return true;
  }

  // The largest error that is accepted.
  double threshold() const {
    const Thresholds& thresholds = problem_.thresholds;
    switch (required()) {
      case Precision::fp32:
        return thresholds.fp32;
      case Precision::tf32:
        return thresholds.tf32;
      default:
        return thresholds.bf16;
    }
  }

 private:
  Precision required() const { return precision_from(problem_.precision); }

  const Problem& problem_;
};

}  // namespace kgrade
