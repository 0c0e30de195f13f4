// Tensors' elements on the host (contest/tensor_values.h), compared as the referee does on the device, and
// judged as in grading.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "contest/tensor_values.h"
#include "device/contents.h"
#include "problem/case.h"
#include "verify/judgement.h"

namespace kgrade {

// Elements of a tensor or of a part of it; of an integer type those that a float does not hold are exact
// where they were read from a tensor (Values), and the nearest integers where they were made up.
class Elements {
 public:
  Elements(std::span<const float> values, std::span<const std::int64_t> integers = {})
      : values_(values), integers_(integers) {}
  Elements(const Values& values) : Elements(std::span<const float>(values), values.integers) {}

  std::size_t size() const { return values_.size(); }
  float value(std::size_t i) const { return values_[i]; }
  std::int64_t integer(std::size_t i) const;
  Elements part(std::size_t first, std::size_t count) const;
  const std::span<const float>& values() const { return values_; }

 private:
  std::span<const float> values_;
  std::span<const std::int64_t> integers_;  // empty: the floats are exact
};

// Of codes that are compared with others.
struct ScaleBytes {
  std::vector<unsigned char> actual;
  std::vector<unsigned char> expected;
};

// What the elements of an output are, which of two indices are as good as each other, and what codes stand for.
struct OutputForm {
  Dtype dtype = Dtype::float32;
  TiedValues tied = {};
  Quantised quantised = {};
  std::shared_ptr<const ScaleBytes> scales = {};  // that `quantised` points to
  std::optional<Magnitudes> magnitudes = {};      // unset: those of the expected elements
};

// Calls `work` for parts of `count` elements, side by side where there are many.
void in_parts(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

// As the referee compares outputs (device/element_operations.h). Both have the same number of elements; the
// actual ones are rounded to their stored type. `first`: the number of the first element, where they are a
// part of an output.
ElementErrors compare(const Elements& actual, const Elements& expected, const OutputForm& form = {},
                      std::size_t first = 0);

// Writes elements of an answer, from number `first` on.
using SliceMaker = std::function<void(std::size_t first, std::span<float> slice)>;

// The same for an answer that is made slice by slice, in order: an output may fill much of the host's memory.
ElementErrors compare_made(const SliceMaker& make, const Elements& expected, const OutputForm& form = {});

// Compares an answer in which every element is the mean along one axis of the shape, of integers the nearest
// one. In slices too.
ElementErrors compare_axis_means(const Elements& values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, const OutputForm& form = {});

// The case's output number `output`.
const Tensor& output_of(const Case& bound, std::size_t output);

// `inputs`: those that the expected answer is for, in the order of Case::tensors, which indices of an output
// with ties point into, or codes stand for. With none every index counts as it is. `expected`: all outputs, among them
// the scales of codes; without them codes are compared as they are. `answers`: likewise, of what is compared; else the
// scales of its codes are the expected ones.
OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected = {});
OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected, const std::vector<Values>& answers);

// The largest error of any output; of a 16-bit type the part that one rounding does not explain.
double error_of(const std::vector<Values>& answer, const std::vector<Values>& expected, const Case& bound);
// Of those that are compared by the norm: the others tell nothing of arithmetic.
double rounding_error_of(const std::vector<Values>& answer, const std::vector<Values>& expected,
                         const Case& bound);
bool has_output_by_norm(const Case& bound);
// Whether what an output is depends on inputs: indices with ties, and codes.
bool has_ties(const Case& bound);

// What grading accepts, for outputs on the host, each by its number: as its own type is compared, and exactly
// where the problem says so.
class Acceptance {
 public:
  // Of the class that the problem asks for. Keeps references to both.
  Acceptance(const Problem& problem, const Case& bound)
      : Acceptance(problem, bound, precision_from(problem.precision)) {}
  Acceptance(const Problem& problem, const Case& bound, Precision required)
      : problem_(problem), case_(bound), required_(required) {}
  // A candidate may compete in any class (compile/declarations.h), so a wrong answer has to be refused in the
  // lowest.
  static Acceptance in_lowest_class(const Problem& problem, const Case& bound) {
    return {problem, bound, Precision::bf16};
  }

  OutputForm form(std::size_t output, const std::vector<Values>& inputs, const std::vector<Values>& expected = {}) const {
    return form_of(case_, output, inputs, expected);
  }
  Judgement judge(std::size_t output, const ElementErrors& errors) const {
    return kgrade::judge(errors, bounds(output), required_, {}, output_of(case_, output).compare);
  }
  // Of an answer to one output: the others are the expected ones.
  Judgement judge(std::size_t output, const Values& answer, const std::vector<Values>& expected,
                  const std::vector<Values>& inputs) const {
    return judge(output, compare(answer, expected[output], form(output, inputs, expected)));
  }
  bool accepts(std::size_t output, const Values& answer, const std::vector<Values>& expected,
               const std::vector<Values>& inputs) const {
    return judge(output, answer, expected, inputs).verdict == Verdict::accepted;
  }
  Judgement judge(std::size_t output, const Values& answer, const Values& expected,
                  const std::vector<Values>& inputs) const {
    return judge(output, compare(answer, expected, form(output, inputs)));
  }
  bool accepts(std::size_t output, const Values& answer, const Values& expected,
               const std::vector<Values>& inputs) const {
    return judge(output, answer, expected, inputs).verdict == Verdict::accepted;
  }

  // How far the answer to other inputs is away, which bounds what lower classes allow.
  void set_distance(std::size_t output, double distance) { distances_[output] = distance; }

  // The largest error that is accepted of an output.
  double threshold(std::size_t output) const {
    return is_exact(output) ? 0 : kgrade::threshold(bounds(output), required_);
  }
  bool is_exact(std::size_t output) const {
    return !has_norm(output_of(case_, output).compare);
  }

 private:
  Thresholds bounds(std::size_t output) const {
    const auto found = distances_.find(output);
    return error_bounds(problem_.thresholds, case_, output,
                        found != distances_.end() ? found->second : std::numeric_limits<double>::infinity());
  }

  const Problem& problem_;
  const Case& case_;
  Precision required_;
  std::map<std::size_t, double> distances_;
};

}  // namespace kgrade
