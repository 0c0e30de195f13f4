// A case of a problem with everything evaluated: extents, sizes, distributions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The distribution of an input with its numbers evaluated (draw/distribution.h), except its type. A computed
// input has no distribution: the problem's file or reference makes it from the seed of a draw.
struct ResolvedInit {
  using Kind = DrawKind;
  Kind kind = Kind::uniform;
  double first = 0;
  double second = 1;
  Init::Structure structure = Init::Structure::none;
  std::int64_t columns = 1;  // of a matrix
  std::vector<double> choices = {};
  std::int64_t low = 0;  // of wide_integers
  std::int64_t high = 0;
  Scaling scaling = {};
  std::optional<SmallFloat> encoding = {};
};

// Says which tensor an output of indices points into, and along which axis. Without an axis, the indices
// count all elements of the tensor.
struct TiedTo {
  std::size_t tensor = 0;  // index into Case::tensors
  std::optional<std::size_t> axis;
  bool are_distinct = false;  // no index occurs twice along the axis
};

// Says which tensor the codes of an output stand for, and which output holds their scales.
struct QuantisedAs {
  std::size_t values = 0;  // index into Case::tensors
  std::size_t scales = 0;  // index into Case::tensors
  SmallFloat code = SmallFloat::e2m1;
  SmallFloat scale_code = SmallFloat::e8m0;
  std::int64_t block = 1;
  bool is_swizzled = false;
  double divisor = 1;
};

struct Tensor {
  std::string name;
  std::size_t parameter = 0;  // index into Problem::parameters
  bool output = false;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  ResolvedInit init;                                  // of an input, or of an output's initial contents
  std::string own_init = {};                          // the case's text; empty: the parameter's own `init`
  std::optional<Dtype> own_dtype = {};                // of its elements; unset: the case's type
  Comparison::Kind compare = Comparison::Kind::norm;  // of an output
  std::optional<TiedTo> tied = {};                    // of an output of indices
  bool begins_as_drawn = false;                       // an output whose initial contents are drawn by `init`
  std::optional<std::size_t> begins_as = {};          // the input whose contents the output begins with
  std::optional<QuantisedAs> quantised = {};          // of an output of codes

  bool is_computed() const { return !output && init.kind == ResolvedInit::Kind::computed; }
  bool begins_as_constant() const { return output && init.kind == ResolvedInit::Kind::constant; }
  // An input whose contents the case lists. They are the same in every draw.
  bool is_listed() const { return !output && init.kind == ResolvedInit::Kind::listed; }
  // An input in which a few single elements may be changed after the input was drawn.
  bool has_single_elements() const { return !output && !is_computed() && !is_listed(); }
};

struct Case {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings integers;                                 // scalar parameters and `let` values
  std::map<std::string, double, std::less<>> reals;  // scalar parameters of type float and double
  std::vector<Tensor> tensors;                       // in the order of the parameters
  Dtype dtype = Dtype::float32;                      // the type of [VAR]
  std::optional<std::int64_t> flops;
  // The number of terms of the longest sum that an element of an output is rounded from. Without `terms` in
  // the file it is the largest of flops / (2 x elements of all outputs), elements of the largest input /
  // elements of all outputs, and 1.
  std::int64_t terms = 1;
  double weight = 1;                  // in scores over cases
  std::optional<std::int64_t> bytes;  // if the problem gives them; otherwise tensor_bytes() counts
  std::optional<SetRule> by_set;      // of the set that the problem is from

  std::vector<const Tensor*> outputs() const;
  Dtype dtype_of(const Tensor& tensor) const { return tensor.own_dtype.value_or(dtype); }
  // The type in which elements are stored for contestants, or with `widened` for the oracle. For the oracle,
  // [VAR] is float32, and so are outputs of 16 bits, because expected outputs are not rounded.
  Dtype stored_as(const Tensor& tensor, bool widened) const;
  // The size of all tensors in bytes, either with their own types or with another size for elements of [VAR].
  std::int64_t tensor_bytes() const;
  std::int64_t tensor_bytes(std::int64_t element_size) const;
};

// Whether the case has sums of so many elements that a single element may not matter.
bool is_long_reduction(const Case& bound);

// The case's factors of inputs, and the inputs that have their own distribution in this case: "A times 2^-24,
// B times 2^8 to 2^16, by blocks", "A from normal(100, 2)". Empty if there are none.
std::string scalings_text(const Case& bound);

// Evaluates a case. Errors point to the case in the problem file and name the expression's place, or to the
// expression if the case is from no file (location.line == 0). Errors are: overflow, division by zero, an
// extent that is zero or negative, a tensor without a shape, a `require` that does not hold, a tensor of more
// than 2^40 elements, a fan-in below 1, negative `flops`, `terms` or `bytes`.
Result<Case> resolve_case(const Problem& problem, const CaseSpec& spec);

}  // namespace kgrade
