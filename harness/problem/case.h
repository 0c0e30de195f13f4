// A case with everything evaluated: extents, sizes, distributions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The distribution of an input with its numbers worked out (draw/distribution.h), all but its type. What is
// computed has none: the problem's file or reference gives it, under the seed of a draw.
struct ResolvedInit {
  enum class Kind {
    uniform,
    normal,
    integers,
    constant,
    choice,
    bernoulli,
    adjacency,
    listed,
    wide_integers,
    computed
  };
  Kind kind = Kind::uniform;
  double first = 0;
  double second = 1;
  Init::Structure structure = Init::Structure::none;
  std::int64_t columns = 1;  // of matrices
  std::vector<double> choices = {};
  std::int64_t low = 0;  // of wide_integers
  std::int64_t high = 0;
  Scaling scaling = {};
  std::optional<SmallFloat> encoding = {};
};

// An output of indices: into which tensor, and along which axis (none: it counts as flat).
struct TiedTo {
  std::size_t tensor = 0;  // index into Case::tensors
  std::optional<std::size_t> axis;
};

// An output of codes: of which tensor, and where their scales are.
struct QuantisedAs {
  std::size_t values = 0;  // index into Case::tensors
  std::size_t scales = 0;  // likewise
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
  ResolvedInit init;                                  // of an input, or of what an output begins as
  std::string own_init = {};                          // as the case writes it; empty: as the parameter does
  std::optional<Dtype> own_dtype = {};                // of its elements; the case's where there is none
  Comparison::Kind compare = Comparison::Kind::norm;  // of an output
  std::optional<TiedTo> tied = {};                    // likewise
  bool begins_as_drawn = false;                       // likewise: as `init` says
  std::optional<std::size_t> begins_as = {};          // likewise: the input, an index into Case::tensors
  std::optional<QuantisedAs> quantised = {};          // likewise

  bool is_computed() const { return !output && init.kind == ResolvedInit::Kind::computed; }
  // An input that the case decides: its contents are the same in every draw.
  bool is_listed() const { return !output && init.kind == ResolvedInit::Kind::listed; }
  // An input of which a few elements may be other ones than those that were drawn with them.
  bool has_single_elements() const { return !output && !is_computed() && !is_listed(); }
};

struct Case {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings integers;                                 // scalar parameters and `let` values
  std::map<std::string, double, std::less<>> reals;  // scalar parameters of type float and double
  std::vector<Tensor> tensors;                       // in the order of the parameters
  Dtype dtype = Dtype::float32;                      // that [VAR] is
  std::optional<std::int64_t> flops;
  // The length of the longest sum whose rounding errors an output holds: what `terms` says, or without it the
  // largest of flops / (2 x elements of all outputs), elements of the largest input / elements of all
  // outputs, and 1.
  std::int64_t terms = 1;
  double weight = 1;                  // in scores over cases
  std::optional<std::int64_t> bytes;  // when the problem says how many; tensor_bytes() otherwise

  std::vector<const Tensor*> outputs() const;
  Dtype dtype_of(const Tensor& tensor) const { return tensor.own_dtype.value_or(dtype); }
  // How elements are stored for the contestants, or, `widened`, for the oracle: those of [VAR] as float32,
  // and outputs of 16 bits too, since what is expected is not rounded.
  Dtype stored_as(const Tensor& tensor, bool widened) const;
  // All tensors once, in bytes: as they are, or with elements of [VAR] of another size.
  std::int64_t tensor_bytes() const;
  std::int64_t tensor_bytes(std::int64_t element_size) const;
};

// Whether so many elements become one that none of them may matter.
bool is_long_reduction(const Case& bound);

// How its inputs differ from those of other cases: "A times 2^-24, B times 2^8 to 2^16, by blocks", "A from
// normal(100, 2)"; empty where none does.
std::string scalings_text(const Case& bound);

// Evaluates a case. Errors point to the case in the problem file and name the expression's place, or point to
// the expression when the case is from no file (location.line == 0): overflow, division by zero, an extent
// that is zero or negative, a tensor without a shape, a `require` that does not hold, a tensor of more than
// 2^40 elements, a fan-in below 1, negative `flops`, `terms` or `bytes`.
Result<Case> resolve_case(const Problem& problem, const CaseSpec& spec);

}  // namespace kgrade
