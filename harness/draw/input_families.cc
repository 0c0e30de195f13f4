#include "draw/input_families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "draw/seed.h"

namespace kgrade {
namespace {

// A stream apart from those of tensors, whose numbers are those of parameters.
constexpr std::uint32_t families_stream = 0x66616d69;

// An edge has a chance below 1 if there can be none.
std::vector<Family> families_of_graphs(const ResolvedInit& init) {
  if (init.first >= 1) return {Family::one_value};
  return {Family::cycle, Family::star, Family::dense, Family::one_value};
}

bool is_real(const ResolvedInit& init, Dtype dtype) {
  using Kind = ResolvedInit::Kind;
  return (init.kind == Kind::uniform || init.kind == Kind::normal) && !is_integer(dtype) && !init.encoding;
}

std::string_view text_of(Family family) {
  switch (family) {
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
    case Family::negative:
      return "elements are far below 0";
    case Family::positive:
      return "elements are far above 0";
    case Family::near_equal:
      return "elements are nearly equal";
    case Family::cycle:
      return "each node has one edge, to the next";
    case Family::star:
      return "all edges are from or to one node";
    case Family::dense:
      return "there are all edges";
  }
  return "";
}

}  // namespace

std::vector<Family> families_of(const Problem& problem, const Case& bound, std::size_t tensor) {
  const Tensor& input = bound.tensors[tensor];
  const ResolvedInit& init = input.init;
  if (!problem.compares_exactly() || !input.has_single_elements()) return {};
  if (init.kind == ResolvedInit::Kind::constant) return {};
  if (init.kind == ResolvedInit::Kind::adjacency) return families_of_graphs(init);
  std::vector<Family> families = {Family::one_value, Family::few_values, Family::runs,
                                  Family::sorted,    Family::reversed,   Family::ends};
  const Dtype dtype = bound.dtype_of(input);
  if (!is_real(init, dtype)) return families;
  families.insert(families.end(), {Family::negative, Family::positive});
  if (!is_narrow(dtype)) families.push_back(Family::near_equal);
  return families;
}

std::uint32_t count_families(const Problem& problem, const Case& bound) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i)
    most = std::max(most, families_of(problem, bound, i).size());
  return static_cast<std::uint32_t>(most);
}

Variation variation_of(const Problem& problem, const Case& bound, std::size_t tensor, const Draw& draw) {
  if (draw.family == 0) return {};
  const std::vector<Family> families = families_of(problem, bound, tensor);
  if (families.empty()) return {};
  const Tensor& input = bound.tensors[tensor];
  const RandomStream stream = input_stream(draw.seed, problem.slug, bound.name, families_stream, draw.index);
  // The first input that has families has every one in turn. What the others have beside it is drawn.
  bool is_first = true;
  for (std::size_t i = 0; i < tensor; ++i) is_first = is_first && families_of(problem, bound, i).empty();
  const PhiloxBlock random = random_block(stream, tensor);
  const std::uint32_t offset = is_first ? 0 : random.word[0];
  Variation variation{families[(draw.family - 1 + offset) % families.size()], random.word[1]};
  if (!input.shape.empty()) variation.row = static_cast<std::uint64_t>(input.shape.back());
  return variation;
}

std::string families_text(const Problem& problem, const Case& bound, const Draw& draw) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const Variation variation = variation_of(problem, bound, i, draw);
    if (variation.family != Family::own)
      texts.push_back(fmt::format("{}: {}", bound.tensors[i].name, text_of(variation.family)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace kgrade
