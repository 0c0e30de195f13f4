#include "contest/call_contents.h"

#include <algorithm>
#include <functional>

#include "base/defences.h"
#include "contest/protocol.h"
#include "draw/input_families.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

// Draws of the changes to inputs, apart from draws of the inputs themselves.
constexpr std::uint32_t changes_draw = 0x80000000;
// Draws of the weights of modules.
constexpr std::uint32_t weights_draw = 0x40000000;
// The stream of what the problem's file computes. The streams of drawn inputs have the numbers of parameters.
constexpr std::uint32_t computed_stream = 0x636f6d70;
constexpr std::uint32_t perturbations_stream = 0x70657274;
// The stream of the random numbers that the forward of a problem's file draws.
constexpr std::uint32_t forward_stream = 0x666f7277;
// How far the draws of one launch of a call are from those of the next.
constexpr std::uint32_t draws_per_launch = std::uint32_t{1} << 26;
static_assert(draws_per_launch * max_launches <= weights_draw);

// The number of the draw that gives a launch its changed elements.
std::uint32_t number_of_change(const Draw& draw, std::uint32_t launch) {
  return changes_draw | (launch * draws_per_launch + draw.change);
}

// The low bits of the seed of get_inputs() say which family its random numbers have
// (python/kgrade_python/varied_draws.py).
std::uint64_t seed_of_family(std::uint64_t seed, Family family) {
  constexpr std::uint64_t mask = 31;
  static_assert(families_of_inputs <= mask + 1);
  return (seed & ~mask) | static_cast<std::uint64_t>(family);
}

}  // namespace

bool CallContents::is_fixed(const Tensor& tensor, const Draw& draw) const {
  return draw.weights != 0 && problem_.torch && problem_.torch->weight_of(tensor.name) != nullptr;
}

// The number of the tensor that a changed draw changes, or the number of tensors if there is none to change.
// Odd changes go into the largest input, which is the most expensive to read in full. Computed inputs may
// have a structure, and inputs that the case decides are fixed, so neither is changed. Nor is any input if a
// few elements may not affect the outputs: in a long reduction, or in an exact problem (a maximum, the edges
// of a graph).
std::size_t CallContents::changed_tensor(const Draw& draw) const {
  if (problem_.is_exact() || is_long_reduction(case_)) return case_.tensors.size();
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < case_.tensors.size(); ++i) {
    const Tensor& tensor = case_.tensors[i];
    if (tensor.has_single_elements() && !is_fixed(tensor, draw)) inputs.push_back(i);
  }
  if (inputs.empty()) return case_.tensors.size();
  if (!is_single_change(draw.change)) return inputs[draw.change / 2 % inputs.size()];
  return *std::max_element(inputs.begin(), inputs.end(), [&](std::size_t a, std::size_t b) {
    return case_.tensors[a].elements < case_.tensors[b].elements;
  });
}

// If no tensor can be changed in part, all contents are new.
std::uint32_t CallContents::number_of(const Draw& draw, std::uint32_t launch) const {
  const bool is_new = draw.change != 0 && changed_tensor(draw) == case_.tensors.size();
  return is_new ? number_of_change(draw, launch) : launch * draws_per_launch + draw.index;
}

InputContents CallContents::of_tensor(std::size_t tensor, std::uint32_t launch, const Draw& draw) const {
  const Tensor& input = case_.tensors[tensor];
  if (input.is_computed()) return {{.dtype = case_.dtype_of(input)}, {}, {}};
  const std::uint32_t index = is_fixed(input, draw) ? weights_draw | draw.weights : number_of(draw, launch);
  InputContents contents{to_distribution(input.init, case_.dtype_of(input)),
                         input_stream(draw.seed, problem_.slug, case_.name, input.parameter, index),
                         {}};
  if (!is_fixed(input, draw)) contents.distribution.variation = variation_of(problem_, case_, tensor, draw);
  if (draw.change == 0 || tensor != changed_tensor(draw)) return contents;
  const RandomStream source =
      input_stream(draw.seed, problem_.slug, case_.name, input.parameter, number_of_change(draw, launch));
  contents.changes =
      draw_changes(contents.distribution, contents.stream, static_cast<std::uint64_t>(input.elements), source,
                   is_single_change(draw.change) ? 1 : max_input_changes);
  return contents;
}

std::vector<ComputedSeeds> CallContents::seeds_of_computed(const Draw& draw, std::uint32_t launches) const {
  std::vector<ComputedSeeds> seeds;
  const auto seed_of = [&](std::uint32_t stream, std::uint32_t number) {
    return seed_from(input_stream(draw.seed, problem_.slug, case_.name, stream, number));
  };
  if (std::none_of(case_.tensors.begin(), case_.tensors.end(), std::mem_fn(&Tensor::is_computed)))
    return seeds;
  const Family family = family_of_computed(problem_, case_, draw);
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    seeds.push_back({seed_of(computed_stream, number_of(draw, launch))});
    if (problem_.has_model()) seeds.back().seed = seed_of_family(seeds.back().seed, family);
    if (draw.perturbation != 0)
      seeds.back().perturbation =
          seed_of(perturbations_stream, launch * draws_per_launch + draw.perturbation);
  }
  return seeds;
}

std::uint64_t CallContents::seed_of_forward(const Draw& draw, std::uint32_t launch) const {
  if (!is_on(Defence::forward_seeds)) return 0;
  const std::uint32_t number =
      draw.change != 0 ? number_of_change(draw, launch) : launch * draws_per_launch + draw.index;
  return seed_from(input_stream(draw.seed, problem_.slug, case_.name, forward_stream, number));
}

}  // namespace kgrade
