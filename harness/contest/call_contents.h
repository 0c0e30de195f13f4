// What the inputs of a call contain. A Draw numbers the contents of a case, and each launch of a call has
// contents of its own. From these, and from the case, this file derives the random streams and the changed
// elements of each input. Everything is the same for all contestants and on every device.
//
// Scalars are sent in slots of 64 bits, one per parameter of the entry point (contest/worker_process.h). The
// elements of some outputs refer to another tensor: the indices in a tied output (TiedValues) point to
// elements of an input, and the codes in a quantised output (Quantised) stand for elements of an input. A
// comparison needs to know which element of the output belongs to which element of the input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contest/worker_process.h"
#include "device/contents.h"
#include "draw/draws.h"
#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

// JSON: {"shapes": {tensor: [extents]}, "types": {tensor: "float32"}, "dtype": the case's type, "scalars":
// {name: value}, "module": {"positional": [...], "keywords": {...}} or null, "number": N}. It names neither
// the case nor its role. `widened`: the tensors are lent as float32 whatever the case's type, as the oracle's
// are. `number` differs for each case of a process, because a module has other weights in each case, even if
// two cases are otherwise equal.
std::string case_description(const Problem& problem, const Case& bound, bool widened = false,
                             std::size_t number = 0);

// How the indices in a tied output lie over the tensor that they point into. The result has no buffer of
// values yet.
TiedValues layout_of_ties(const Case& bound, const Tensor& indices);

// How the codes in an output lie over the values that they stand for. The result has no buffers yet.
Quantised layout_of_codes(const Case& bound, const Tensor& codes);

// The bits of the scalars, by parameter, and 0 for tensors. Scalars of type [VAR] are stored as `stored_as`.
CallSlots slots_of_scalars(const Problem& problem, const Case& bound, Dtype stored_as);

// The seeds under which a problem's file computes the inputs of a launch, and perturbs them if it does.
struct ComputedSeeds {
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> perturbation = {};

  bool operator==(const ComputedSeeds&) const = default;
};

// The contents of one case's calls. Keeps references.
class CallContents {
 public:
  CallContents(const Problem& problem, const Case& bound) : problem_(problem), case_(bound) {}

  // The contents of tensor number `tensor` of the case: an input, or an output that begins as drawn. For a
  // computed input, only the type is set.
  InputContents of_tensor(std::size_t tensor, std::uint32_t launch, const Draw& draw) const;

  // The seeds under which the problem's file computes inputs, for each of `launches` launches. Empty if it
  // computes none.
  std::vector<ComputedSeeds> seeds_of_computed(const Draw& draw, std::uint32_t launches) const;

  // A module's forward may draw random numbers, such as a dropout's mask. Each call has its own seed, which
  // is the same for all contestants.
  std::uint64_t seed_of_forward(const Draw& draw, std::uint32_t launch) const;

 private:
  bool is_fixed(const Tensor& tensor, const Draw& draw) const;
  std::size_t changed_tensor(const Draw& draw) const;
  std::uint32_t number_of(const Draw& draw, std::uint32_t launch) const;

  const Problem& problem_;
  const Case& case_;
};

}  // namespace kgrade
