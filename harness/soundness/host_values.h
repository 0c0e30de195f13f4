// Compares tensors' elements on the host (contest/tensor_values.h) as the referee does on the device, and
// judges them as grading does.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contest/tensor_values.h"
#include "device/contents.h"
#include "problem/case.h"
#include "verify/judgement.h"

namespace kgrade {
// A sample of a tensor: elements that represent all of them if reading all would take too long. It consists
// of some places along each axis, combined with each other. So elements that are equal along an axis are
// equal in the sample too. The places are spread evenly: one at an irregular position in each of several
// equal parts of the axis. A shape always has the same sample.
struct TensorSample {
  std::vector<std::int64_t> shape;  // of the sample, which is row-major like the tensor
  // The sample is read in runs of `run` adjacent elements. These are the runs' first elements.
  std::vector<std::uint64_t> begins;
  std::uint64_t run = 0;  // elements
};

// A sample of at most `most` elements. All elements if there are no more.
TensorSample sample_of(const std::vector<std::int64_t>& shape, std::uint64_t most);

// Elements of a tensor or of a part of it. Integers too large for a float are exact if they were read from a
// tensor (Values). If they were computed, they are rounded to the nearest integer.
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

// The scales of two quantised outputs that are compared.
struct ScaleBytes {
  std::vector<unsigned char> actual;
  std::vector<unsigned char> expected;
};

// What the elements of an output mean: their type, which indices are equally good, and which values codes
// represent.
struct OutputForm {
  Dtype dtype = Dtype::float32;
  TiedValues tied = {};
  Quantised quantised = {};
  std::shared_ptr<const ScaleBytes> scales = {};  // `quantised` points to them
  std::optional<Magnitudes> magnitudes = {};      // unset: computed from the expected elements
};

// Calls `work` for parts of `count` elements, in parallel if there are many.
void in_parts(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

// Compares outputs as the referee does (device/element_errors.h). `actual` and `expected` have the same
// number of elements. The actual elements are rounded to their stored type. If the elements are a part of an
// output, `first` is the number of the first one.
ElementErrors compare(const Elements& actual, const Elements& expected, const OutputForm& form = {},
                      std::size_t first = 0);

// Writes elements of an answer into a slice, which begins with element number `first`.
using SliceMaker = std::function<void(std::size_t first, std::span<float> slice)>;

// Compares an answer that is made slice by slice, in order, because an output may fill much of the host's
// memory.
ElementErrors compare_made(const SliceMaker& make, const Elements& expected, const OutputForm& form = {});

// Compares an answer in which every element is the mean along one axis of the shape, rounded for integers.
// Compares slice by slice, like compare_made().
ElementErrors compare_axis_means(const Elements& values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, const OutputForm& form = {});

// The case's output number `output`.
const Tensor& output_of(const Case& bound, std::size_t output);

// `inputs` are the inputs of the expected answer, in the order of Case::tensors. Indices with ties point into
// the inputs, and codes represent them. Without inputs, indices are compared as numbers. `expected` are all
// expected outputs, including the scales of codes. Without expected outputs, codes are compared as bytes.
// `answers` are all outputs of the compared answer. Without them, its codes have the expected scales.
OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected = {});
OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected, const std::vector<Values>& answers);

// The largest error of any output. For a 16-bit type, the part that one rounding does not explain.
double error_of(const std::vector<Values>& answer, const std::vector<Values>& expected, const Case& bound);
// The largest error of the outputs that are compared by the norm. If the usual norm is known and larger, the
// error is in units of the usual norm. Outputs that are compared in other ways say nothing about arithmetic.
double rounding_error_of(const std::vector<Values>& answer, const std::vector<Values>& expected,
                         const Case& bound, const ExpectedScales& scales = {});
bool has_output_by_norm(const Case& bound);
// Whether the case has an output whose comparison needs the inputs: indices with ties, or codes.
bool has_ties(const Case& bound);

// Decides what grading accepts, for outputs on the host. Each output is compared by its type, or exactly if
// the problem says so.
class Acceptance {
 public:
  // Accepts only answers in the class that the problem asks for. Keeps references to both arguments.
  Acceptance(const Problem& problem, const Case& bound)
      : Acceptance(problem, bound, precision_from(problem.precision)) {}
  Acceptance(const Problem& problem, const Case& bound, Precision required)
      : problem_(problem), case_(bound), required_(required) {}
  // Accepts answers in the lowest class, too. A candidate may compete in any class (compile/declarations.h),
  // so a wrong answer has to be refused even in the lowest class.
  static Acceptance in_lowest_class(const Problem& problem, const Case& bound) {
    return {problem, bound, Precision::bf16};
  }

  OutputForm form(std::size_t output, const std::vector<Values>& inputs,
                  const std::vector<Values>& expected = {}) const {
    return form_of(case_, output, inputs, expected);
  }
  Judgement judge(std::size_t output, const ElementErrors& errors) const {
    return kgrade::judge(errors, bounds(output), required_, {}, output_of(case_, output).compare);
  }
  // Judges an answer to one output. The other outputs are the expected ones.
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

  // Sets the distance to the answer to other inputs. This distance bounds the errors that lower classes
  // allow.
  void set_distance(std::size_t output, double distance) { distances_[output] = distance; }

  // Sets the limit of the errors that the lowest class allows (ExpectedScales::limit()).
  void set_limit(std::size_t output, double limit) { limits_[output] = limit; }

  // The largest accepted error of an output.
  double threshold(std::size_t output) const {
    return is_exact(output) ? 0 : kgrade::threshold(bounds(output), required_);
  }
  bool is_exact(std::size_t output) const { return !has_norm(output_of(case_, output).compare); }
  // The figure that decided, and the limit of the class: "the error is 3.7e-06 over the whole output, and
  // fp32 allows 5.0e-06".
  std::string figures(std::size_t output, const Judgement& judgement) const;

 private:
  Thresholds bounds(std::size_t output) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto found = distances_.find(output);
    Thresholds bounds =
        error_bounds(problem_, case_, output, found != distances_.end() ? found->second : infinity);
    const auto limit = limits_.find(output);
    if (limit != limits_.end()) bounds.bf16 = std::max(bounds.tf32, std::min(bounds.bf16, limit->second));
    return bounds;
  }

  const Problem& problem_;
  const Case& case_;
  Precision required_;
  std::map<std::size_t, double> distances_;
  std::map<std::size_t, double> limits_;
};

}  // namespace kgrade
