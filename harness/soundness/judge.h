// The judgement of grading on values that lie on the host.
#pragma once

#include <vector>

#include "problem/problem.h"
#include "soundness/answers.h"
#include "verify/judgement.h"

namespace kgrade {

class Judge {
 public:
  // Of the class that the problem asks for. Keeps a reference.
  explicit Judge(const Problem& problem) : Judge(problem, precision_from(problem.precision)) {}
  Judge(const Problem& problem, Precision required) : problem_(problem), required_(required) {}
  // A candidate may compete in any class (compile/declarations.h): what is wrong has to be refused in the
  // lowest.
  static Judge in_lowest_class(const Problem& problem) { return {problem, Precision::bf16}; }

  Judgement judge(const Values& answer, const Values& expected) const {
    return judge(compare(answer, expected, problem_.dtype));
  }
  Judgement judge(const ElementErrors& errors) const {
    return kgrade::judge(errors, problem_.thresholds, required_);
  }
  // That of the outputs.
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
    switch (required_) {
      case Precision::fp32:
        return thresholds.fp32;
      case Precision::tf32:
        return thresholds.tf32;
      default:
        return thresholds.bf16;
    }
  }

 private:
  const Problem& problem_;
  Precision required_;
};

}  // namespace kgrade
