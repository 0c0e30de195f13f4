#include "soundness/summation_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace kgrade {
namespace {

// Equal answers in double precision differ by at most this when rounded to float: a few units in the last
// place.
constexpr double same_answer = 0x1p-22;

// The axes of each tensor whose extents name a parameter.
using AxisChoices = std::vector<std::vector<std::size_t>>;

bool names(const Expression& extent, const std::string& name) {
  const auto used = extent.names();
  return std::find(used.begin(), used.end(), name) != used.end();
}

std::vector<const Parameter*> tensors_of(const Problem& problem) {
  std::vector<const Parameter*> tensors;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_tensor()) tensors.push_back(&parameter);
  }
  return tensors;
}

// Arrangements that shuffle at most one axis of each tensor, and an axis of at least one input. Arrangements
// with axes of the most tensors come first.
std::vector<Arrangement> shuffles_of(const std::vector<const Parameter*>& tensors, const std::string& name) {
  std::vector<Arrangement> all(1);
  for (const Parameter* tensor : tensors) {
    std::vector<Arrangement> longer;
    for (const Arrangement& known : all) {
      for (std::size_t axis = 0; axis <= tensor->shape.size() && longer.size() < 4 * most_arrangements;
           ++axis) {
        const bool none = axis == tensor->shape.size();
        if (!none && !names(tensor->shape[axis], name)) continue;
        longer.push_back(known);
        longer.back().axes.push_back(none ? std::vector<std::size_t>() : std::vector<std::size_t>{axis});
      }
    }
    all = std::move(longer);
  }
  const auto chosen = [](const Arrangement& a) {
    return std::count_if(a.axes.begin(), a.axes.end(), [](const auto& axes) { return !axes.empty(); });
  };
  std::erase_if(all, [&](const Arrangement& a) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i]->is_input() && !a.axes[i].empty()) return false;
    }
    return true;
  });
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return chosen(a) > chosen(b); });
  for (Arrangement& arrangement : all) arrangement.name = name + " shuffled";
  return all;
}

std::vector<Arrangement> reversals_of(const std::vector<const Parameter*>& tensors) {
  std::size_t rank = 0;
  for (const Parameter* tensor : tensors) rank = std::max(rank, tensor->shape.size());
  std::vector<Arrangement> all;
  for (std::size_t count = 1; count <= std::min<std::size_t>(rank, 3); ++count) {
    Arrangement arrangement{
        count == 1 ? "the last axis reversed" : fmt::format("the last {} axes reversed", count), true, {}};
    for (const Parameter* tensor : tensors) {
      arrangement.axes.emplace_back();
      if (tensor->shape.size() < rank) continue;
      for (std::size_t axis = rank - count; axis < rank; ++axis) arrangement.axes.back().push_back(axis);
    }
    all.push_back(std::move(arrangement));
  }
  return all;
}

std::vector<std::size_t> sources_of(std::size_t extent, bool reversed, std::size_t block) {
  std::vector<std::size_t> sources(extent);
  if (reversed) {
    std::iota(sources.rbegin(), sources.rend(), std::size_t{0});
    return sources;
  }
  // A shuffled order, which depends only on the number of places. With two or more places it differs from the
  // original order.
  std::vector<std::size_t> places(block);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::mt19937_64 generator(block);
  for (std::size_t i = block; i > 1; --i) std::swap(places[i - 1], places[generator() % i]);
  if (std::is_sorted(places.begin(), places.end()))
    std::rotate(places.begin(), places.begin() + 1, places.end());
  for (std::size_t i = 0; i < extent; ++i) sources[i] = i / block * block + places[i % block];
  return sources;
}

Values along_axis(const Values& values, const std::vector<std::int64_t>& shape, std::size_t axis,
                  const std::vector<std::size_t>& sources) {
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  const std::size_t extent = sources.size();
  Values result(values.size());
  for (std::size_t begin = 0; begin < values.size(); begin += extent * inner) {
    for (std::size_t i = 0; i < extent; ++i) {
      const auto source = values.begin() + static_cast<std::ptrdiff_t>(begin + sources[i] * inner);
      std::copy_n(source, inner, result.begin() + static_cast<std::ptrdiff_t>(begin + i * inner));
    }
  }
  return result;
}

}  // namespace

std::vector<Arrangement> arrangements_of(const Problem& problem) {
  // The axes of a Model's tensors have no names that show which ones belong together. Its weights stay as
  // they are.
  if (problem.has_model()) return {};
  const std::vector<const Parameter*> tensors = tensors_of(problem);
  std::vector<Arrangement> all = reversals_of(tensors);
  std::vector<std::vector<Arrangement>> shuffles;
  std::set<std::string> shaping;  // names in the extents of inputs
  for (const Parameter* const tensor : tensors) {
    if (!tensor->is_input()) continue;
    for (const Expression& extent : tensor->shape) {
      for (std::string& name : extent.names()) shaping.insert(std::move(name));
    }
  }
  for (const std::string& name : shaping) shuffles.push_back(shuffles_of(tensors, name));
  // A name in many tensors must not crowd out other names.
  std::stable_sort(shuffles.begin(), shuffles.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (const auto& some : shuffles) all.insert(all.end(), some.begin(), some.end());
  // Computed inputs may depend on the places of their elements.
  std::erase_if(all, [&](const Arrangement& arrangement) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i]->is_computed() && !arrangement.axes[i].empty()) return true;
    }
    return false;
  });
  if (all.size() > most_arrangements) all.resize(most_arrangements);
  return all;
}

Values rearranged(const Values& values, const std::vector<std::int64_t>& shape,
                  const std::vector<std::size_t>& axes, bool reversed, std::int64_t extent) {
  Values result = values;
  for (const std::size_t axis : axes) {
    const auto sources =
        sources_of(static_cast<std::size_t>(shape[axis]), reversed, static_cast<std::size_t>(extent));
    result = along_axis(result, shape, axis, sources);
  }
  return result;
}

std::int64_t common_extent(const Arrangement& arrangement, const Case& bound) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    for (const std::size_t axis : arrangement.axes[i]) extents.push_back(bound.tensors[i].shape[axis]);
  }
  if (extents.empty()) return 0;
  const auto [least, most] = std::minmax_element(extents.begin(), extents.end());
  if (arrangement.reversed) return *most > 1 ? *most : 0;
  const bool fits =
      std::all_of(extents.begin(), extents.end(), [&](std::int64_t e) { return e % *least == 0; });
  return fits && *least > 1 ? *least : 0;
}

Result<ReorderedError> measure_reordered(ReferenceRunner& runner, const Case& bound,
                                         const Arrangement& arrangement, const PlainAnswers& plain) {
  const std::int64_t extent = common_extent(arrangement, bound);
  if (extent == 0) return ReorderedError{};
  const auto arranged = [&](const Values& values, std::size_t tensor) {
    return rearranged(values, bound.tensors[tensor].shape, arrangement.axes[tensor], arrangement.reversed,
                      extent);
  };
  std::vector<InputEdit> edits;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    if (!bound.tensors[i].output && !arrangement.axes[i].empty())
      edits.push_back({i, 0, arranged(plain.inputs[i], i)});
  }
  const auto arranged_outputs = [&](const std::vector<Values>& outputs) {
    std::vector<Values> all;
    for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
      if (bound.tensors[i].output) all.push_back(arranged(outputs[all.size()], i));
    }
    return all;
  };
  const auto oracle = runner.oracle(plain.draw, edits);
  if (!oracle) return oracle.errors();
  Case widened = bound;  // the oracle's answers have this type
  widened.dtype = Dtype::float32;
  // The comparison is written so that NaN fails.
  if (!(error_of(*oracle, arranged_outputs(plain.oracle), widened) <= same_answer))
    return ReorderedError{Reordering::refuted, 0};
  const auto reference = runner.reference(plain.draw, edits);
  if (!reference) return reference.errors();
  if (*reference == arranged_outputs(plain.reference)) return ReorderedError{Reordering::idle, 0};
  return ReorderedError{Reordering::reordered, rounding_error_of(*reference, *oracle, bound, plain.scales)};
}

Result<double> SummationOrders::measure(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                        bool thorough, const ExpectedScales& scales) {
  const auto oracle = runner.oracle(draw, {});
  if (!oracle) return oracle.errors();
  const std::vector<Values> inputs = runner.inputs();
  const auto reference = runner.reference(draw, {});
  if (!reference) return reference.errors();
  double largest = rounding_error_of(*reference, *oracle, bound, scales);
  for (std::size_t i = 0; i < arrangements_.size(); ++i) {
    // A refuted reversal is tried again, because it may be refuted only on cases in which a stride does not
    // fit the extents.
    const bool is_open = states_[i] == State::unknown || arrangements_[i].reversed;
    if (states_[i] != State::reordering && !(thorough && is_open)) continue;
    const auto found =
        measure_reordered(runner, bound, arrangements_[i], {draw, inputs, *oracle, *reference, scales});
    if (!found) return found.errors();
    if (found->what == Reordering::refuted && states_[i] == State::unknown) states_[i] = State::refuted;
    if (found->what != Reordering::reordered) continue;
    states_[i] = State::reordering;
    reordered_.insert(arrangements_[i].name);
    largest = std::max(largest, found->error);
  }
  return largest;
}

}  // namespace kgrade
