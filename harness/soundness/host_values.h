// Tensors' elements on the host (contest/tensor_values.h), compared as the referee does on the device, and
// judged as in grading.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "contest/tensor_values.h"
#include "device/contents.h"
#include "problem/problem.h"
#include "verify/judgement.h"

namespace kgrade {

// As the referee compares outputs (device/element_operations.h). Both have the same number of elements; the
// actual ones are rounded to their stored type. `first`: the number of the first element, where they are a
// part of an output.
ElementErrors compare(std::span<const float> actual, std::span<const float> expected,
                      Dtype dtype = Dtype::float32, std::size_t first = 0);

// Writes elements of an answer, from number `first` on.
using SliceMaker = std::function<void(std::size_t first, std::span<float> slice)>;

// The same for an answer that is made slice by slice, in order: an output may fill much of the host's memory.
ElementErrors compare_made(const SliceMaker& make, std::span<const float> expected,
                           Dtype dtype = Dtype::float32);

// Compares an answer in which every element is the mean along one axis of the shape. In slices too.
ElementErrors compare_axis_means(std::span<const float> values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, Dtype dtype = Dtype::float32);

// The largest error of any output; of a 16-bit type the part that one rounding does not explain.
double error_of(const std::vector<Values>& answer, const std::vector<Values>& expected,
                Dtype dtype = Dtype::float32);

// What grading accepts, for outputs on the host.
class Acceptance {
 public:
  // Of the class that the problem asks for. Keeps a reference.
  explicit Acceptance(const Problem& problem) : Acceptance(problem, precision_from(problem.precision)) {}
  Acceptance(const Problem& problem, Precision required) : problem_(problem), required_(required) {}
  // A candidate may compete in any class (compile/declarations.h), so a wrong answer has to be refused in the
  // lowest.
  static Acceptance in_lowest_class(const Problem& problem) { return {problem, Precision::bf16}; }

  Judgement judge(const Values& answer, const Values& expected) const {
    return judge(compare(answer, expected, problem_.dtype));
  }
  Judgement judge(const ElementErrors& errors) const {
    return kgrade::judge(errors, problem_.thresholds, required_);
  }
  // Of the compared values.
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
