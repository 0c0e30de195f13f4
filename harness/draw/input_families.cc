#include "draw/input_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/split_mix.h"
#include "draw/distribution.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

// The number of a random stream that no tensor has: the streams of tensors have the numbers of parameters.
constexpr std::uint32_t families_stream = 0x66616d69;

// This many elements of the longest sum are spikes, or are not 0 in a sparse input.
constexpr double elements_that_count = 8;
// The sum of the spikes' squares, divided by the sum of the other elements' squares.
constexpr double share_of_spikes = 1.0 / 3;
constexpr int most_halvings = 6;
constexpr int few_halvings = 2;

// If one thread adds more equal terms than this, the sum is off by more than the bound, because each addition
// is rounded the same way.
constexpr std::int64_t most_equal_terms = 256;
// The factor of most elements of a sparse input of real numbers.
constexpr double small_factor = 0x1p-4;
constexpr int most_doublings_without_domain = 3;

// The numbers that an input's own distribution draws.
struct Range {
  double least = 0;
  double largest = 0;
  double deviation = 0;
};

using Kind = ResolvedInit::Kind;

// Most of the elements of a normal distribution lie within two deviations.
std::optional<Range> range_of(const ResolvedInit& init) {
  switch (init.kind) {
    case Kind::uniform:
      return Range{init.first, init.second, (init.second - init.first) / std::sqrt(12.0)};
    case Kind::normal:
      return Range{init.first - 2 * init.second, init.first + 2 * init.second, init.second};
    case Kind::integers:
      return Range{init.first, init.second, 0};
    case Kind::bernoulli:
      return Range{0, 1, 0};
    case Kind::choice: {
      const auto [least, largest] = std::minmax_element(init.choices.begin(), init.choices.end());
      return Range{*least, *largest, 0};
    }
    case Kind::wide_integers:
      return Range{static_cast<double>(init.low), static_cast<double>(init.high), 0};
    default:
      return std::nullopt;
  }
}

// Codes stand for real numbers, but only a domain says how far these may go.
bool is_real(const Parameter& parameter, const ResolvedInit& init, Dtype dtype) {
  if (init.kind != Kind::uniform && init.kind != Kind::normal) return false;
  return init.encoding ? parameter.domain.has_value() : !is_integer(dtype) && has_zero(dtype);
}

// The domain of a tensor's elements, before the case scales them.
Range domain_of(const Parameter& parameter, const ResolvedInit& init, const Range& own, bool is_exact) {
  if (parameter.domain) return {parameter.domain->least, parameter.domain->largest, 0};
  if (own.deviation == 0) return own;
  const double reach = is_exact ? 90 : 4 * own.deviation;
  const bool is_of_one_sign = init.kind == Kind::uniform && (own.least >= 0 || own.largest <= 0);
  if (is_of_one_sign && !is_exact) return own;
  return {std::min(-reach, own.least), std::max(reach, own.largest), 0};
}

// Whether a family may make elements much smaller than they are drawn. Exponentials of small elements are
// nearly equal terms, for which the longest sums of one thread have too few digits. And float16 has too few
// exponents for products of small elements.
bool may_be_small(const Case& bound, bool are_rounded) {
  constexpr std::int64_t most_terms = 1 << 16;
  const bool are_half = std::any_of(bound.tensors.begin(), bound.tensors.end(), [&](const Tensor& tensor) {
    return bound.dtype_of(tensor) == Dtype::float16;
  });
  return !are_rounded || (bound.terms <= most_terms && !are_half);
}

bool is_wider(const Range& domain, const Range& own) {
  return domain.least < own.least || domain.largest > own.largest;
}

// The first input that the problem's file computes; the number of tensors if there is none.
std::size_t first_computed(const Case& bound) {
  const auto first = std::find_if(bound.tensors.begin(), bound.tensors.end(),
                                  [](const Tensor& input) { return input.is_computed(); });
  return static_cast<std::size_t>(first - bound.tensors.begin());
}

// The families of inputs that the problem's file computes. They change the random numbers that the file draws
// (python/kgrade_python/varied_draws.py). All these inputs come from one call, so the first stands for them.
std::vector<Family> families_of_computed(const Problem& problem, const Case& bound, std::size_t tensor) {
  if (!problem.has_model() || tensor != first_computed(bound)) return {};
  std::vector<Family> families;
  if (may_be_small(bound, true)) families = {Family::scaled, Family::sparse};
  families.insert(families.end(), {Family::one_value, Family::shifted, Family::runs, Family::nonnegative,
                                   Family::ends, Family::nonpositive, Family::few_values, Family::spikes});
  return families;
}

// The families of real numbers that the domain has room for.
std::vector<Family> families_of_reals(const Range& own, const Range& domain, bool is_exact) {
  std::vector<Family> families;
  const bool has_0 = domain.least <= 0 && domain.largest >= 0;
  const bool has_both_signs = domain.least < 0 && domain.largest > 0;
  if (has_both_signs) {
    for (const Family family : {Family::nonnegative, Family::nonpositive}) families.push_back(family);
    // Numbers that are balanced around 0 have random signs as they are drawn.
    if (own.least != -own.largest) families.push_back(Family::signs);
  }
  if (is_wider(domain, own))
    families.insert(families.end(), {Family::shifted, Family::rows_shifted, Family::step, Family::spikes});
  if (is_wider(domain, own) || has_0) families.push_back(Family::scaled);
  if (is_exact) families.push_back(Family::near_equal);
  return families;
}

// How far a family moves a tensor in a draw.
struct Turn {
  bool goes_down = false;  // if there is room on both sides
  bool is_whole = true;    // to the end of the room
  double fraction = 0;     // of the room otherwise, from 0 to 1
};

double amount_within(double least, double room, const Turn& turn) {
  if (turn.is_whole || room <= least) return room;
  return least * std::pow(room / least, turn.fraction);
}

// How often all numbers can be doubled, or halved, within the domain.
int doublings_up(const Parameter& parameter, const Range& own, const Range& domain) {
  if (!parameter.domain) return is_wider(domain, own) ? most_doublings_without_domain : 0;
  double most = 64;
  if (own.largest > 0) most = std::min(most, std::log2(domain.largest / own.largest));
  if (own.least < 0) most = std::min(most, std::log2(domain.least / own.least));
  return std::max(0, static_cast<int>(most));
}
int doublings_down(const Parameter& parameter, const Range& own, const Range& domain, const Case& bound) {
  if (!may_be_small(bound, true)) return few_halvings;
  if (!parameter.domain) return most_doublings_without_domain;
  if (domain.least <= 0 && domain.largest >= 0) return most_halvings;
  return static_cast<int>(
      std::log2(domain.least > 0 ? own.least / domain.least : own.largest / domain.largest));
}

// Chooses the amounts of a variation of real numbers.
void choose_amounts(const Parameter& parameter, const Range& own, const Range& domain, const Case& bound,
                    const Turn& turn, Variation& variation) {
  const double below = std::max(0.0, own.least - domain.least);
  const double above = std::max(0.0, domain.largest - own.largest);
  const bool goes_down = above == 0 || (below > 0 && turn.goes_down);
  const double least = own.deviation > 0 ? own.deviation : 1;
  const double terms = std::max(1.0, static_cast<double>(bound.terms));
  variation.chance = std::min(0.25, elements_that_count / terms);
  switch (variation.family) {
    case Family::scaled: {
      const int up = doublings_up(parameter, own, domain);
      const int down = doublings_down(parameter, own, domain, bound);
      const bool is_down = up == 0 || (down > 0 && turn.goes_down);
      const double exponent = std::round(amount_within(1, is_down ? down : up, turn));
      variation.amount = std::exp2(is_down ? -exponent : exponent);
      return;
    }
    case Family::spikes:
      variation.amount = own.deviation * std::sqrt(share_of_spikes / variation.chance);
      break;
    case Family::sparse:
      variation.amount = own.deviation > 0 ? small_factor : 0;
      return;
    case Family::shifted:
      variation.amount = amount_within(least, goes_down ? below : above, turn);
      if (own.deviation == 0) variation.amount = std::round(variation.amount);
      if (goes_down) variation.amount = -variation.amount;
      break;
    default:  // rows_shifted and step
      variation.amount = amount_within(least, above, turn);
      variation.least_amount = -amount_within(least, below, turn);
  }
  if (!parameter.domain) return;
  variation.least = domain.least;
  variation.largest = domain.largest;
}

std::string text_of(const Variation& variation) {
  switch (variation.family) {
    case Family::own:
      break;
    case Family::one_value:
      return "all elements are equal";
    case Family::few_values:
      return "elements have few values";
    case Family::runs:
      return "neighbours are equal";
    case Family::sorted:
      return "rows ascend";
    case Family::reversed:
      return "rows descend";
    case Family::ends:
      return "elements are the least or the largest";
    case Family::sparse:
      return "all but a few elements are 0 or small";
    case Family::zero_rows:
      return "half of the rows are 0";
    case Family::nonnegative:
      return "no element is negative";
    case Family::nonpositive:
      return "no element is positive";
    case Family::signs:
      return "elements have either sign";
    case Family::shifted:
      return fmt::format("{:.3g} is added to all elements", variation.amount);
    case Family::rows_shifted:
      return fmt::format("{:.3g} to {:.3g} is added to each row", variation.least_amount, variation.amount);
    case Family::step:
      return fmt::format("rows have a step, from {:.3g} to {:.3g} or back", variation.least_amount,
                         variation.amount);
    case Family::scaled:
      return fmt::format("elements are multiplied by {:.3g}", variation.amount);
    case Family::spikes:
      return fmt::format(
          "a few elements are as large as {:.3g}",
          std::min(variation.amount, std::max(std::fabs(variation.least), std::fabs(variation.largest))));
    case Family::near_equal:
      return "elements are nearly equal";
    case Family::cycle:
      return "each node has one edge, to the next in a cycle";
    case Family::star:
      return "all edges are from or to one node";
    case Family::dense:
      return "there are all edges";
  }
  return "";
}

// The family of a tensor in a draw, and how far it goes.
struct Choice {
  Family family = Family::own;
  Turn turn;
};

// Shuffles the families by a seed, so that nobody knows which families a case of the file will have. Seed 0,
// which is usual where problem files are checked, keeps their order. Random signs come first if they are
// among the families: no other family shows so well in how many bits a candidate computes, and the only case
// of a large Model has just two families.
std::vector<Family> in_order_of(std::uint64_t seed, std::vector<Family> families) {
  const auto place = [seed](Family family) {
    return mixed(seed ^ mixed(static_cast<std::uint64_t>(family) + 1));
  };
  if (seed != 0)
    std::sort(families.begin(), families.end(), [&](Family a, Family b) { return place(a) < place(b); });
  std::stable_partition(families.begin(), families.end(), [](Family f) { return f == Family::signs; });
  return families;
}

// Chooses the family of a tensor in a draw. `random` decides everything that is left to chance. The first
// input that has families takes them in turn. In half of the draws the other inputs have the same family. In
// the rest, each has any of its families or its own distribution.
Choice choice_of(const Problem& problem, const Case& bound, std::size_t tensor, const Draw& draw,
                 const PhiloxBlock& random) {
  const std::vector<Family> families = families_of(problem, bound, tensor);
  if (families.empty()) return {};
  std::size_t first = 0;
  while (families_of(problem, bound, first).empty()) ++first;
  const std::vector<Family> of_first = in_order_of(draw.seed, families_of(problem, bound, first));
  const auto count = static_cast<std::uint32_t>(of_first.size());
  const Family leading = of_first[(draw.family - 1) % count];
  Turn turn = {random.word[2] / 4 % 2 == 1, random.word[2] % 4 != 0, detail::fraction(random.word[3])};
  if (tensor == first) {
    // The first two rounds of a family go to the end of the room, one up and one down. Of the later rounds,
    // three of four go to the end.
    const std::uint32_t round = (draw.family - 1) / count;
    turn.goes_down = (mixed(draw.seed ^ static_cast<std::uint64_t>(leading)) + round) % 2 == 1;
    turn.is_whole = turn.is_whole || round < 2;
    return {leading, turn};
  }
  const bool has_it = std::find(families.begin(), families.end(), leading) != families.end();
  if (random.word[0] % 2 == 0 && has_it) return {leading, turn};
  // A domain says that the numbers of this input matter by themselves.
  const bool has_domain = problem.parameters[bound.tensors[tensor].parameter].domain.has_value();
  if (!has_domain && random.word[0] / 2 % 2 == 0) return {};
  return {families[random.word[0] / 4 % families.size()], turn};
}

// Whether two inputs have rows of one sign. Their products add up to sums that grow with each term.
bool have_sums_of_one_sign(const Problem& problem, const Case& bound, const Draw& draw,
                           const RandomStream& stream) {
  // These families leave all elements of a row with one sign, or nearly all.
  constexpr std::array of_one_sign = {Family::one_value, Family::nonnegative,  Family::nonpositive,
                                      Family::shifted,   Family::rows_shifted, Family::step};
  int inputs = 0;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const Family family = choice_of(problem, bound, i, draw, random_block(stream, i)).family;
    if (std::find(of_one_sign.begin(), of_one_sign.end(), family) != of_one_sign.end()) ++inputs;
  }
  return inputs >= 2;
}

// In an output with fewer elements than this, the terms of all sums may cancel.
constexpr std::int64_t few_elements = 100;
// Products of elements that are moved this far are still off by less than a third of any bound.
constexpr double most_ulps_of_products = 32;
// One thread that adds more products of one sign than this loses small products in its sum: the sum is off by
// 0.13 of the bound for 2^18 products of half-normal numbers, 0.37 for 2^19 and 1.31 for 2^20 (measured). So
// inputs with more such products are moved far enough that no bound holds.
constexpr double most_products_of_one_sign = 1 << 18;
constexpr double ulps_beyond_any_bound = 1 << 22;

bool has_few_elements(const Case& bound) {
  return std::any_of(bound.tensors.begin(), bound.tensors.end(),
                     [](const Tensor& tensor) { return tensor.output && tensor.elements < few_elements; });
}

// How far a rounding of an input moves it, in units in the last place. One thread that adds n terms is off by
// as much as if one in eight of them had been moved by about sqrt(n) / 2, or by n / 3 if all have one sign.
// With few outputs, all terms may cancel. And a function of the sum, such as its exponential, may depend on
// more than the sum's first digits.
std::int32_t ulps_of(const Problem& problem, const Case& bound, const Draw& draw,
                     const RandomStream& stream) {
  const auto terms = static_cast<double>(bound.terms);
  const bool are_few = has_few_elements(bound);
  double ulps = are_few ? std::sqrt(terms) / 2 : 1;
  if (have_sums_of_one_sign(problem, bound, draw, stream))
    ulps = std::max(ulps, terms > most_products_of_one_sign ? ulps_beyond_any_bound
                                                            : std::min(terms / 3, most_ulps_of_products));
  if (are_few) ulps /= 2;  // half of the elements move
  return std::max(1, static_cast<std::int32_t>(std::lround(ulps)));
}

}  // namespace

bool may_have_families(const Problem& problem, const Tensor& tensor) {
  const bool is_weight =
      problem.has_model() && problem.torch && problem.torch->weight_of(tensor.name) != nullptr;
  return tensor.has_single_elements() && tensor.init.kind != Kind::constant && !is_weight;
}

std::vector<Family> families_of(const Problem& problem, const Case& bound, std::size_t tensor) {
  const Tensor& input = bound.tensors[tensor];
  const ResolvedInit& init = input.init;
  // check() of a file has bounds that fit the inputs of its own.
  if (problem.has_property()) return {};
  if (input.is_computed()) return families_of_computed(problem, bound, tensor);
  if (!may_have_families(problem, input)) return {};
  const Parameter& parameter = problem.parameters[input.parameter];
  const bool is_exact = problem.compares_exactly();
  std::vector<Family> families;
  if (init.kind == Kind::adjacency) {
    families = {Family::one_value};
    // These families need graphs in which edges may be missing.
    if (init.first < 1) families = {Family::cycle, Family::star, Family::dense, Family::one_value};
  } else if (const auto own = range_of(init)) {
    const Dtype dtype = bound.dtype_of(input);
    const Range domain = domain_of(parameter, init, *own, is_exact);
    // Elements of a choice are among its numbers.
    const bool may_be_0 = init.kind == Kind::choice
                              ? std::find(init.choices.begin(), init.choices.end(), 0) != init.choices.end()
                              : domain.least <= 0 && domain.largest >= 0;
    const bool has_0 = has_zero(dtype) && may_be_0;
    const bool are_real = is_real(parameter, init, dtype);
    const bool may_repeat = is_exact || !are_real || (parameter.domain && bound.terms <= most_equal_terms);
    if (may_repeat) families = {Family::one_value, Family::few_values, Family::runs, Family::ends};
    if (is_exact) families.insert(families.end(), {Family::sorted, Family::reversed});
    if (has_0 && may_be_small(bound, are_real && !is_exact)) families.push_back(Family::sparse);
    if (has_0 && (is_exact || bound.terms <= most_equal_terms)) families.push_back(Family::zero_rows);
    if (are_real) {
      const auto more = families_of_reals(*own, domain, is_exact && !is_narrow(dtype));
      families.insert(families.end(), more.begin(), more.end());
      // With inputs of one sign, rounding errors cancel relative to the sum. So torch.rand() does not show in
      // how many bits a candidate computes.
      if (problem.has_model() && !parameter.domain &&
          std::find(more.begin(), more.end(), Family::signs) == more.end())
        families.push_back(Family::signs);
    } else if (init.kind == Kind::integers && !init.encoding && parameter.domain) {
      families.push_back(Family::shifted);
    }
  }
  std::erase_if(families, [&](Family family) { return parameter.without.contains(family); });
  return families;
}

std::uint32_t count_families(const Problem& problem, const Case& bound) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i)
    most = std::max(most, families_of(problem, bound, i).size());
  return static_cast<std::uint32_t>(most);
}

Variation variation_of(const Problem& problem, const Case& bound, std::size_t tensor, const Draw& draw) {
  const Tensor& input = bound.tensors[tensor];
  if (draw.family == 0 || (!input.has_single_elements() && !input.is_computed())) return {};
  const RandomStream stream = input_stream(draw.seed, problem.slug, bound.name, families_stream, draw.index);
  const PhiloxBlock random = random_block(stream, tensor);
  const auto [family, turn] = choice_of(problem, bound, tensor, draw, random);
  Variation variation{family, random.word[1]};
  if (!input.shape.empty()) variation.row = static_cast<std::uint64_t>(input.shape.back());
  const auto own = range_of(input.init);
  if (!own) return variation;
  const Parameter& parameter = problem.parameters[input.parameter];
  const Range domain = domain_of(parameter, input.init, *own, problem.compares_exactly());
  choose_amounts(parameter, *own, domain, bound, turn, variation);
  // Numbers of 16 or 8 bits are exact in every type that a contestant computes in.
  const Dtype dtype = bound.dtype_of(input);
  if (!is_real(parameter, input.init, dtype) || input.init.encoding || is_narrow(dtype)) return variation;
  if (draw.rounding == 0) return variation;
  variation.rounding = draw.rounding;
  variation.rounded = draw.rounded;
  variation.ulps = ulps_of(problem, bound, draw, stream);
  if (has_few_elements(bound)) variation.moved = 4;
  return variation;
}

std::vector<Draw> rounded_draws(const Case& bound, const Draw& draw, std::int32_t bits) {
  constexpr std::uint32_t most_roundings = 4;
  constexpr std::int64_t small_bytes = 1 << 14;  // larger cases would take long
  const bool is_random = bits >= significant_bits(Dtype::float32);
  const bool may_few_decide = has_few_elements(bound) && bound.tensor_bytes() <= small_bytes;
  std::vector<Draw> draws(is_random && may_few_decide ? most_roundings : 1, draw);
  for (std::uint32_t i = 0; i < draws.size(); ++i) {
    draws[i].rounding = bits;
    draws[i].rounded = i;
  }
  return draws;
}

Family family_of_computed(const Problem& problem, const Case& bound, const Draw& draw) {
  return variation_of(problem, bound, first_computed(bound), draw).family;
}

std::string families_text(const Problem& problem, const Case& bound, const Draw& draw) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const Variation variation = variation_of(problem, bound, i, draw);
    if (variation.family == Family::own) continue;
    const Tensor& input = bound.tensors[i];
    texts.push_back(input.is_computed() ? "the random numbers of get_inputs() are varied"
                                        : fmt::format("{}: {}", input.name, text_of(variation)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace kgrade
