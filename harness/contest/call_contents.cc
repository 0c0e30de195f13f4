#include "contest/call_contents.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/defences.h"
#include "contest/protocol.h"
#include "draw/input_families.h"
#include "draw/seed.h"
#include "problem/module_call.h"
#include "problem/scalar_type.h"

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
// have a structure, and inputs that the case decides are fixed, so neither is changed. No input is changed if
// a few elements may not affect the outputs: in a long reduction, or in an exact problem (a maximum, the
// edges of a graph).
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

namespace {

// The 64-bit slot of a scalar (compile/binding.h). Scalars of the element type are stored as elements are.
std::uint64_t scalar_slot(const Parameter& parameter, const Case& bound, Dtype stored_as) {
  std::uint64_t slot = 0;
  if (const auto integer = bound.integers.find(parameter.name); integer != bound.integers.end()) {
    return static_cast<std::uint64_t>(integer->second);
  }
  const auto found = bound.reals.find(parameter.name);
  const double real = found != bound.reals.end() ? found->second : 0;
  if (parameter.type == "double") {
    std::memcpy(&slot, &real, sizeof real);
    return slot;
  }
  const auto single = static_cast<float>(real);
  auto* const bytes = reinterpret_cast<unsigned char*>(&slot);
  if (parameter.type == element_type_name) {
    store_element(stored_as, bytes, 0, rounded_to(bound.dtype, single));
  } else {
    store_element(Dtype::float32, bytes, 0, single);
  }
  return slot;
}

}  // namespace

CallSlots slots_of_scalars(const Problem& problem, const Case& bound, Dtype stored_as) {
  CallSlots call;
  for (const Parameter& parameter : problem.arguments())
    call.slots.push_back({false, parameter.is_tensor() ? 0 : scalar_slot(parameter, bound, stored_as)});
  return call;
}

TiedValues layout_of_ties(const Case& bound, const Tensor& indices) {
  const Tensor& values = bound.tensors[indices.tied->tensor];
  const std::optional<std::size_t> axis = indices.tied->axis;
  std::uint64_t inner = 1;
  for (std::size_t i = axis ? *axis + 1 : values.shape.size(); i < values.shape.size(); ++i)
    inner *= static_cast<std::uint64_t>(values.shape[i]);
  const auto elements = static_cast<std::uint64_t>(values.elements);
  const std::uint64_t extent = axis ? static_cast<std::uint64_t>(values.shape[*axis]) : elements;
  const std::uint64_t chosen = static_cast<std::uint64_t>(indices.elements) / (elements / extent);
  return {nullptr, bound.dtype_of(values), extent, inner, chosen, indices.tied->are_distinct};
}

Quantised layout_of_codes(const Case& bound, const Tensor& codes) {
  const QuantisedAs& as = *codes.quantised;
  const Tensor& values = bound.tensors[as.values];
  Quantised layout;
  layout.dtype = bound.dtype_of(values);
  layout.code = as.code;
  layout.scale_code = as.scale_code;
  layout.block = static_cast<std::uint32_t>(as.block);
  layout.is_swizzled = as.is_swizzled;
  layout.columns = static_cast<std::uint64_t>(values.shape.back());
  layout.divisor = as.divisor;
  return layout;
}

std::string case_description(const Problem& problem, const Case& bound, bool widened, std::size_t number) {
  nlohmann::ordered_json description = {{"shapes", nlohmann::ordered_json::object()},
                                        {"types", nlohmann::ordered_json::object()},
                                        {"own_types", nlohmann::ordered_json::array()},
                                        {"dtype", std::string(to_string(bound.dtype))},
                                        {"scalars", nlohmann::ordered_json::object()},
                                        {"module", nullptr},
                                        {"number", number}};
  for (const Tensor& tensor : bound.tensors) {
    description["shapes"][tensor.name] = tensor.shape;
    description["types"][tensor.name] = std::string(to_string(bound.stored_as(tensor, widened)));
    if (tensor.own_dtype) description["own_types"].push_back(tensor.name);
  }
  for (const Parameter& parameter : problem.arguments()) {
    if (parameter.is_tensor()) continue;
    const auto integer = bound.integers.find(parameter.name);
    const auto real = bound.reals.find(parameter.name);
    if (integer != bound.integers.end()) description["scalars"][parameter.name] = integer->second;
    if (real != bound.reals.end()) description["scalars"][parameter.name] = real->second;
  }
  if (const auto call = module_call(problem, bound)) description["module"] = to_json(*call);
  return description.dump();
}

}  // namespace kgrade
