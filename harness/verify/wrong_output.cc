#include "verify/wrong_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "contest/contest.h"
#include "device/element_errors.h"

namespace kgrade {
namespace {

constexpr std::size_t most_examples = 5;
// The tolerance of a common factor or difference.
constexpr double same_share = 1e-3;
// Fewer wrong elements may share a pattern by chance.
constexpr std::size_t fewest_for_a_pattern = 2;
// The largest part of the errors' norm that a factor may leave unexplained. Errors that are small compared
// with the elements stay unexplained, because then every element is about its expected value times 1.
constexpr double most_unexplained = 0.1;
// A range of indices is only named if it would arise by chance with less than this probability.
constexpr double most_chance = 1e-3;
// If less than this share of a range's elements is wrong, they are scattered.
constexpr double densest_scatter = 0.5;
// A sum of an element and a value from 1 to 2 is rounded to the element's type: bfloat16 has 8 bits.
constexpr double rounding_of_sums = 1.0 / 128;

// Whether an element is wrong, as the device counts.
bool is_off(const OutputValues& values, double value, double expected, double limit) {
  return device::is_wrong(value, expected, limit, values.dtype, values.magnitudes);
}

using Positions = std::vector<std::size_t>;
using Index = std::vector<std::int64_t>;

Index index_of(std::size_t flat, const std::vector<std::int64_t>& shape) {
  Index index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    index[d] = static_cast<std::int64_t>(flat % extent);
    flat /= extent;
  }
  return index;
}

// Integers in full, other numbers with the digits of a float.
std::string number(double value) {
  if (std::isnan(value)) return "nan";
  const bool is_whole = std::abs(value) < 0x1p53 && std::trunc(value) == value;
  return is_whole ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

// The smallest box that holds all wrong elements.
struct Box {
  Index low, high;  // inclusive

  std::uint64_t volume() const {
    std::uint64_t volume = 1;
    for (std::size_t d = 0; d < low.size(); ++d) volume *= static_cast<std::uint64_t>(high[d] - low[d] + 1);
    return volume;
  }
};

Box box_of(const Positions& wrong, const std::vector<std::int64_t>& shape) {
  Box box{index_of(wrong.front(), shape), index_of(wrong.front(), shape)};
  for (const std::size_t flat : wrong) {
    const Index index = index_of(flat, shape);
    for (std::size_t d = 0; d < index.size(); ++d) {
      box.low[d] = std::min(box.low[d], index[d]);
      box.high[d] = std::max(box.high[d], index[d]);
    }
  }
  return box;
}

// "row", "column" and "channel" would be guesses beyond two dimensions.
std::string dimension_name(std::size_t d, std::size_t dimensions) {
  if (dimensions == 1) return "the vector";
  if (d + 1 == dimensions) return "each row (the last dimension)";
  if (d + 2 == dimensions) return "each column (the last dimension but one)";
  return fmt::format("dimension {} of {}", d + 1, dimensions);
}

std::string range_text(std::int64_t low, std::int64_t high, std::int64_t extent) {
  if (high + 1 == extent) return low == high ? "the last one" : fmt::format("the last {}", high - low + 1);
  if (low == 0) return low == high ? "the first one" : fmt::format("the first {}", high - low + 1);
  return low == high ? fmt::format("number {}", low) : fmt::format("numbers {} to {}", low, high);
}

// Whether it is worth saying that all scattered wrong elements have an index from `low` to `high`. It is not
// worth saying if that is likely by chance, or if they lie far apart between the ends of the dimension, as
// any few elements do. `share` of the elements with such an index is wrong.
bool is_telling(std::int64_t low, std::int64_t high, std::int64_t extent, std::size_t wrong, double share) {
  const double width = static_cast<double>(high - low + 1) / static_cast<double>(extent);
  const bool touches_an_end = low == 0 || high + 1 == extent;
  const double places = touches_an_end ? 1 : static_cast<double>(wrong);
  // The probability that `wrong` independent positions all lie in such a range.
  const double chance = places * std::pow(width, static_cast<double>(wrong - (touches_an_end ? 0 : 1)));
  return chance < most_chance && (touches_an_end || share >= densest_scatter);
}

// A text that says which elements are wrong.
std::string place_pattern(const Positions& wrong, const OutputValues& values) {
  const std::size_t elements = values.expected.size();
  if (wrong.size() == elements) return "";
  if (wrong.size() == 1) return wrong.front() + 1 == elements ? "the wrong one is the last in memory" : "";
  const Box box = box_of(wrong, values.shape);
  std::vector<std::size_t> cut;  // dimensions that are not wrong over their whole extent
  for (std::size_t d = 0; d < values.shape.size(); ++d) {
    if (box.high[d] - box.low[d] + 1 < values.shape[d]) cut.push_back(d);
  }
  const bool full = box.volume() == wrong.size();
  const bool is_tail = wrong.front() + wrong.size() == elements;
  if (cut.size() == 1 && (full || !is_tail)) {
    const std::size_t d = cut.front();
    const double share = static_cast<double>(wrong.size()) / static_cast<double>(box.volume());
    if (!full && !is_telling(box.low[d], box.high[d], values.shape[d], wrong.size(), share)) return "";
    return fmt::format("the wrong ones are {}{} of {}", full ? "" : "among ",
                       range_text(box.low[d], box.high[d], values.shape[d]),
                       dimension_name(d, values.shape.size()));
  }
  if (is_tail) return fmt::format("the wrong ones are the last {} in memory", wrong.size());
  if (full && cut.size() > 1)
    return fmt::format("the wrong ones are the block from [{}] to [{}]", fmt::join(box.low, ", "),
                       fmt::join(box.high, ", "));
  return "";
}

template <class Test>
bool all_of(const Positions& wrong, const Test& test) {
  return std::all_of(wrong.begin(), wrong.end(), test);
}

// The factor that all wrong elements share, if it explains their errors.
std::optional<double> common_factor(const Positions& wrong, const OutputValues& values) {
  const auto largest = *std::max_element(wrong.begin(), wrong.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(values.expected[a]) < std::abs(values.expected[b]);
  });
  const double factor = values.got[largest] / values.expected[largest];
  if (factor == 0 || !std::isfinite(factor)) return std::nullopt;
  const double most = same_share * std::abs(factor * values.expected[largest]);
  double unexplained = 0;
  double errors = 0;
  for (const std::size_t i : wrong) {
    const double left = values.got[i] - factor * values.expected[i];
    if (!(std::abs(left) <= most)) return std::nullopt;
    unexplained += left * left;
    errors += (values.got[i] - values.expected[i]) * (values.got[i] - values.expected[i]);
  }
  if (!(std::sqrt(unexplained) <= most_unexplained * std::sqrt(errors))) return std::nullopt;
  return factor;
}

// A text that says how all wrong elements follow from the expected values: by one factor or one difference.
std::string relation_pattern(const Positions& wrong, const OutputValues& values) {
  if (wrong.size() < fewest_for_a_pattern) return "";
  const auto is_finite = [&](std::size_t i) {
    return std::isfinite(values.got[i]) && std::isfinite(values.expected[i]);
  };
  if (!all_of(wrong, is_finite)) return "";
  if (all_of(wrong, [&](std::size_t i) { return values.got[i] == 0; }))
    return values.was_fresh_memory ? "they are zero: written so, or never written" : "they are zero";
  if (const auto factor = common_factor(wrong, values)) {
    for (const int digits : {4, 7}) {  // enough digits to differ from 1
      const std::string text = fmt::format("{:.{}g}", *factor, digits);
      if (text != "1") return fmt::format("they are the expected value times {}", text);
    }
    return "";  // the factor is 1 in the digits of a float
  }
  const double difference = values.got[wrong.front()] - values.expected[wrong.front()];
  const bool is_common = all_of(wrong, [&](std::size_t i) {
    return std::abs(values.got[i] - values.expected[i] - difference) <= same_share * std::abs(difference);
  });
  return is_common ? fmt::format("they are off by {:.4g} each", difference) : "";
}

// Whether the last two dimensions are exchanged in memory.
bool is_transposed(const OutputValues& values, double limit) {
  if (values.shape.size() < 2) return false;
  const auto columns = static_cast<std::size_t>(values.shape.back());
  const auto rows = static_cast<std::size_t>(values.shape[values.shape.size() - 2]);
  if (rows < 2 || columns < 2) return false;
  for (std::size_t flat = 0; flat < values.got.size(); ++flat) {
    const std::size_t matrix = flat / (rows * columns) * rows * columns;
    const std::size_t row = flat % (rows * columns) / columns;
    const std::size_t column = flat % columns;
    if (is_off(values, values.got[matrix + column * rows + row], values.expected[flat], limit)) return false;
  }
  return true;
}

// The number of places by which the whole output is shifted in memory; 0 if it is not.
int shift_of(const OutputValues& values, double limit) {
  const std::size_t count = values.got.size();
  if (count < 4) return 0;
  for (const int shift : {1, -1}) {
    std::size_t right = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      right +=
          is_off(values, values.got[i + static_cast<std::size_t>(shift)], values.expected[i], limit) ? 0 : 1;
    if (right == count - 2) return shift;
  }
  return 0;
}

std::string whole_pattern(const Positions& wrong, const OutputValues& values, double limit) {
  if (wrong.size() < fewest_for_a_pattern) return "";
  if (is_transposed(values, limit)) return "the output is transposed";
  if (const int shift = shift_of(values, limit); shift != 0)
    return shift > 0 ? "every value is one place too late in memory"
                     : "every value is one place too early in memory";
  const auto of_before = [&](std::size_t i) {
    return !is_off(values, values.got[i], values.before[i], limit);
  };
  // Answers to much smaller inputs are all near 0 here, and so tell nothing.
  const auto is_seen = [&](std::size_t i) { return is_off(values, 0, values.before[i], limit); };
  if (!values.before.empty() && all_of(wrong, of_before) && std::any_of(wrong.begin(), wrong.end(), is_seen))
    return "they are right for the inputs of the call before";
  return "";
}

// What the kernel did to an element, seen in a second call on outputs that held values from 1 to 2.
// `unclear`: never written, or a sum that was rounded to the old value.
enum class Treatment { written, never_written, added_to, unclear };

Treatment treatment_of(const OutputValues& values, std::size_t i, double limit) {
  const Treatment seen = values.untouched[i] ? Treatment::never_written : Treatment::written;
  if (values.again.empty()) return seen;
  if (values.untouched[i] && values.again[i] == values.filled[i]) {
    const bool is_small = std::abs(values.expected[i]) <= rounding_of_sums * values.filled[i];
    return is_small ? Treatment::unclear : Treatment::never_written;
  }
  const double sum = values.expected[i] + values.filled[i];
  // The old value in the first call was huge or not finite, and so is any sum with it.
  const bool was_huge = !(std::abs(values.got[i]) < least_poison);
  return was_huge && !is_off(values, values.again[i], sum, limit + rounding_of_sums) ? Treatment::added_to
                                                                                     : seen;
}

std::uint64_t count_of(const std::vector<Treatment>& treatments, Treatment wanted) {
  return static_cast<std::uint64_t>(std::count(treatments.begin(), treatments.end(), wanted));
}

WrongElement example_of(const OutputValues& values, std::size_t i, Treatment treatment) {
  const char* const instead = treatment == Treatment::never_written ? "never written"
                              : treatment == Treatment::added_to    ? "added to what was there"
                                                                    : nullptr;
  return {index_of(i, values.shape), number(values.expected[i]),
          instead != nullptr ? instead : number(values.got[i])};
}

// In the second call, an element that was not written, or only added to, holds what it was filled with, or
// nearly so. This value is small beside large outputs, so it says nothing about the answer.
bool is_right_when_called_again(const Positions& wrong, const std::vector<Treatment>& treatments,
                                const OutputValues& values, double limit) {
  const bool is_told = !values.again.empty() && count_of(treatments, Treatment::added_to) == 0;
  return is_told && all_of(wrong, [&](std::size_t i) {
           return values.again[i] != values.filled[i] &&
                  !is_off(values, values.again[i], values.expected[i], limit);
         });
}

// Whether elements that looked like poison depend on the memory around the tensors. They are right if usual
// numbers lie there, or they are usual numbers then and NaN if NaNs lie there.
bool reads_around_tensors(const Positions& wrong, const OutputValues& values) {
  if (values.again.empty() || values.amid_nans.empty()) return false;
  return std::any_of(wrong.begin(), wrong.end(), [&](std::size_t i) {
    return std::isfinite(values.expected[i]) && std::isfinite(values.again[i]) &&
           std::isnan(values.amid_nans[i]);
  });
}

}  // namespace

bool is_in_few_elements(const OutputValues& values, double bound) {
  constexpr std::uint64_t few = 8;  // fewer than one in this many
  if (is_narrow(values.dtype)) return false;
  std::uint64_t off = 0, differing = 0;
  for (std::size_t i = 0; i < values.expected.size(); ++i) {
    const double difference = std::abs(values.got[i] - values.expected[i]);
    off += difference <= bound * std::abs(values.expected[i]) ? 0 : 1;
    differing += difference == 0 ? 0 : 1;
  }
  return off * few < differing;
}

WrongOutput wrong_output(const OutputValues& values, double limit) {
  WrongOutput found;
  found.tensor = values.tensor;
  found.elements = values.expected.size();
  Positions wrong, written;
  std::vector<Treatment> treatments;
  for (std::size_t i = 0; i < values.expected.size(); ++i) {
    if (!is_off(values, values.got[i], values.expected[i], limit)) continue;
    wrong.push_back(i);
    treatments.push_back(treatment_of(values, i, limit));
    if (treatments.back() == Treatment::written) written.push_back(i);
  }
  // Unclear elements are treated like most of the clear ones.
  const bool adds =
      count_of(treatments, Treatment::added_to) > count_of(treatments, Treatment::never_written);
  std::replace(treatments.begin(), treatments.end(), Treatment::unclear,
               adds ? Treatment::added_to : Treatment::never_written);
  found.never_written = count_of(treatments, Treatment::never_written);
  found.added_to = count_of(treatments, Treatment::added_to);
  for (std::size_t k = 0; k < std::min(wrong.size(), most_examples); ++k)
    found.examples.push_back(example_of(values, wrong[k], treatments[k]));
  found.wrong = wrong.size();
  if (wrong.empty()) return found;
  std::vector<std::string> parts;
  const auto add = [&parts](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  const std::string whole = written.size() == wrong.size() ? whole_pattern(wrong, values, limit) : "";
  if (whole.empty()) add(place_pattern(wrong, values));
  add(whole);
  if (whole.empty() && written.size() == wrong.size()) add(relation_pattern(wrong, values));
  if (reads_around_tensors(wrong, values)) {
    add("memory beyond a tensor was read: compare each index with the extent before the access");
  } else if (is_right_when_called_again(wrong, treatments, values, limit)) {
    add("called again they are right: threads race, or something is kept between calls");
  }
  found.pattern = fmt::format("{}", fmt::join(parts, "; "));
  return found;
}

std::string describe(const WrongOutput& wrong) {
  std::vector<std::string> parts;
  const auto count = [&wrong](std::uint64_t some) {
    return some == wrong.wrong ? std::string("all") : fmt::format("{}", some);
  };
  if (wrong.never_written > 0) parts.push_back(count(wrong.never_written) + " never written");
  if (wrong.added_to > 0)
    parts.push_back(count(wrong.added_to) +
                    " added to what the output held before, which is arbitrary: write it instead, or grade "
                    "with --clear-outputs");
  if (!wrong.pattern.empty()) parts.push_back(wrong.pattern);
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace kgrade
