#include "soundness/short_cuts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/dtype.h"
#include "soundness/precision_classes.h"

namespace kgrade {
namespace {

using Place = std::uint64_t;
using In = ShortCutTensor;

Place column(Place place, const In& in) { return place % in.row; }

template <OperandFormat format>
float in_format(float value, Place, const In&) {
  return rounded(value, format);
}

template <Dtype dtype>
float in_dtype(float value, Place, const In&) {
  return rounded_to(dtype, value);
}

// Rounds to integers of `bits` bits, with one scale for the tensor.
template <int bits>
float in_integers(float value, Place, const In& in) {
  if (in.largest == 0) return value;
  const float step = in.largest / static_cast<float>((1 << (bits - 1)) - 1);
  return std::round(value / step) * step;
}

template <int limit>
float clamped(float value, Place, const In&) {
  return std::fmin(std::fmax(value, -static_cast<float>(limit)), static_cast<float>(limit));
}

template <int numerator, int denominator>
float first_part(float value, Place place, const In& in) {
  return place * denominator < in.elements * numerator ? value : 0;
}

// Keeps the first `count` elements of longer rows.
template <int count>
float first_of_rows(float value, Place place, const In& in) {
  return column(place, in) < count ? value : 0;
}

template <int numerator, int denominator>
float first_part_of_rows(float value, Place place, const In& in) {
  return column(place, in) * denominator < in.row * numerator ? value : 0;
}

template <int block>
float whole_blocks_of_rows(float value, Place place, const In& in) {
  return column(place, in) < in.row / block * block ? value : 0;
}

template <int block>
float whole_blocks(float value, Place place, const In& in) {
  return place < in.elements / block * block ? value : 0;
}

// A sample that is scaled up to the whole.
template <int count>
float one_in(float value, Place place, const In&) {
  return place % count == 0 ? value * count : 0;
}

template <int count>
float mean_but_for_one_in(float value, Place place, const In& in) {
  return place % count == 0 ? value : in.mean;
}

float mean_in_second_half(float value, Place place, const In& in) {
  return column(place, in) * 2 < in.row ? value : in.mean;
}

template <int bits>
float low_bits(float value, Place, const In&) {
  return std::fmod(value, static_cast<float>(1 << bits));
}

template <int bits>
float without_low_bits(float value, Place, const In&) {
  return std::floor(value / (1 << bits)) * (1 << bits);
}

template <int limit>
float at_most(float value, Place, const In&) {
  return std::fmin(value, static_cast<float>(limit));
}

float absolute(float value, Place, const In&) { return std::fabs(value); }
float not_negative(float value, Place, const In&) { return std::fmax(value, 0.0F); }
float not_positive(float value, Place, const In&) { return std::fmin(value, 0.0F); }
float negated(float value, Place, const In&) { return -value; }
float sign(float value, Place, const In&) { return value > 0 ? 1.0F : value < 0 ? -1.0F : 0.0F; }
float whole_number(float value, Place, const In&) { return std::nearbyint(value); }
// Rounds as a format of few bits that has no 0.
float never_zero(float value, Place, const In& in) { return value == 0 ? in.largest / 16 : value; }
float positive(float value, Place, const In& in) { return std::fmax(value, in.largest / 16); }
float small_as_zero(float value, Place, const In& in) {
  return std::fabs(value) < in.largest / 200 ? 0 : value;
}
float zero(float, Place, const In&) { return 0; }
float one(float, Place, const In&) { return 1; }
float mean(float, Place, const In& in) { return in.mean; }
float first(float, Place, const In& in) { return in.first; }
float around_0(float value, Place, const In& in) { return value - in.mean; }
float last_left_out(float value, Place place, const In& in) { return place + 1 < in.elements ? value : 0; }
float last_of_rows_left_out(float value, Place place, const In& in) {
  return column(place, in) + 1 < in.row ? value : 0;
}
float last_row_left_out(float value, Place place, const In& in) {
  return place < in.elements - in.row ? value : 0;
}
float first_left_out(float value, Place place, const In&) { return place > 0 ? value : 0; }
float first_row_left_out(float value, Place place, const In& in) { return place < in.row ? 0 : value; }

}  // namespace

std::span<const ShortCut> short_cuts() {
  using enum ShortCutOf;
  // Single precision may allow half of the error of an answer in TF32.
  constexpr double twice_the_bound = 2;
  static constexpr std::array cuts = {
      ShortCut{"operands-in-tf32", operands, "{} rounded to TF32", in_format<OperandFormat::tf32>,
               twice_the_bound},
      ShortCut{"operands-in-bf16", operands, "{} rounded to bfloat16", in_format<OperandFormat::bf16>},
      ShortCut{"operands-in-fp16", operands, "{} rounded to float16", in_format<OperandFormat::fp16>},
      ShortCut{"operands-in-e4m3", operands, "{} rounded to float8_e4m3", in_dtype<Dtype::float8_e4m3fn>},
      ShortCut{"operands-in-e5m2", operands, "{} rounded to float8_e5m2", in_dtype<Dtype::float8_e5m2>},
      ShortCut{"operands-in-int8", operands, "{} as 8-bit integers with a scale", in_integers<8>},
      ShortCut{"operands-at-most-4", operands, "{} clamped to -4..4", clamped<4>},
      ShortCut{"operands-at-most-16", operands, "{} clamped to -16..16", clamped<16>},
      ShortCut{"operands-absolute", operands, "the absolute values of {}", absolute},
      ShortCut{"operands-negated", operands, "{} negated", negated},

      ShortCut{"input-in-bf16", reals, "{} rounded to bfloat16", in_format<OperandFormat::bf16>},
      ShortCut{"input-in-fp16", reals, "{} rounded to float16", in_format<OperandFormat::fp16>},
      ShortCut{"input-in-12-bits", reals, "{} as 12-bit integers with a scale", in_integers<12>},
      ShortCut{"input-whole", reals, "{} rounded to whole numbers", whole_number},
      ShortCut{"input-sign", reals, "the signs of {} alone", sign},
      ShortCut{"input-absolute", reals, "the absolute values of {}", absolute},
      ShortCut{"input-not-negative", reals, "negative elements of {} at 0", not_negative},
      ShortCut{"input-not-positive", reals, "positive elements of {} at 0", not_positive},
      ShortCut{"input-at-most-1", reals, "{} clamped to -1..1", clamped<1>},
      ShortCut{"input-at-most-2", reals, "{} clamped to -2..2", clamped<2>},
      ShortCut{"input-at-most-3", reals, "{} clamped to -3..3", clamped<3>},
      ShortCut{"input-at-most-8", reals, "{} clamped to -8..8", clamped<8>},
      ShortCut{"input-at-most-20", reals, "{} clamped to -20..20", clamped<20>},
      ShortCut{"input-small-as-0", reals, "elements of {} below a 200th of the largest at 0", small_as_zero},
      ShortCut{"input-never-0", reals, "zeros of {} at a sixteenth of the largest", never_zero},
      ShortCut{"input-positive", reals, "elements of {} below a sixteenth of the largest raised to it",
               positive},
      ShortCut{"input-zero", reals, "zeros in the place of {}", zero},
      ShortCut{"input-one", reals, "ones in the place of {}", one},
      ShortCut{"input-mean", reals, "the mean of {} in the place of each element", mean},
      ShortCut{"input-first", reals, "the first element of {} in the place of each", first},
      ShortCut{"input-around-0", reals, "the mean of {} subtracted from it", around_0},
      ShortCut{"first-half", reals, "the second half of {} at 0", first_part<1, 2>},
      ShortCut{"first-quarter", reals, "all but the first quarter of {} at 0", first_part<1, 4>},
      ShortCut{"first-half-of-rows", reals, "the second half of each row of {} at 0",
               first_part_of_rows<1, 2>},
      ShortCut{"most-of-rows", reals, "the last sixteenth of each row of {} at 0",
               first_part_of_rows<15, 16>},
      ShortCut{"first-1024-of-rows", reals, "each row of {} at 0 from element 1,024 on", first_of_rows<1024>},
      ShortCut{"blocks-of-4-of-rows", reals, "what is left of each row of {} after blocks of 4 at 0",
               whole_blocks_of_rows<4>},
      ShortCut{"blocks-of-32-of-rows", reals, "what is left of each row of {} after blocks of 32 at 0",
               whole_blocks_of_rows<32>},
      ShortCut{"blocks-of-256", reals, "what is left of {} after blocks of 256 at 0", whole_blocks<256>},
      ShortCut{"last-left-out", reals, "the last element of {} at 0", last_left_out},
      ShortCut{"first-left-out", reals, "the first element of {} at 0", first_left_out},
      ShortCut{"last-of-rows-left-out", reals, "the last element of each row of {} at 0",
               last_of_rows_left_out},
      ShortCut{"last-row-left-out", reals, "the last row of {} at 0", last_row_left_out},
      ShortCut{"first-row-left-out", reals, "the first row of {} at 0", first_row_left_out},
      ShortCut{"one-in-2", reals, "every second element of {} doubled and the others at 0", one_in<2>},
      ShortCut{"one-in-8", reals, "one in 8 elements of {}, times 8, and the others at 0", one_in<8>},
      ShortCut{"mean-but-for-one-in-2", reals, "every second element of {} at its mean",
               mean_but_for_one_in<2>},
      ShortCut{"mean-in-second-half", reals, "the second half of each row of {} at its mean",
               mean_in_second_half},

      ShortCut{"integers-of-8-bits", integers, "the low 8 bits of {}", low_bits<8>},
      ShortCut{"integers-of-16-bits", integers, "the low 16 bits of {}", low_bits<16>},
      ShortCut{"integers-without-a-bit", integers, "the lowest bit of {} at 0", without_low_bits<1>},
      ShortCut{"integers-without-8-bits", integers, "the low 8 bits of {} at 0", without_low_bits<8>},
      ShortCut{"integers-at-most-127", integers, "{} at 127 at most", at_most<127>},
      ShortCut{"integers-at-most-255", integers, "{} at 255 at most", at_most<255>},
      ShortCut{"integers-first", integers, "the first element of {} in the place of each", first},
      ShortCut{"integers-last-left-out", integers, "the last element of {} at 0", last_left_out},
      ShortCut{"integers-last-of-rows-left-out", integers, "the last element of each row of {} at 0",
               last_of_rows_left_out},
      ShortCut{"integers-half", integers, "the second half of {} at 0", first_part<1, 2>},

      ShortCut{"output-in-bf16", output, "{} rounded to bfloat16", in_format<OperandFormat::bf16>},
      ShortCut{"output-in-fp16", output, "{} rounded to float16", in_format<OperandFormat::fp16>},
      ShortCut{"output-finite-in-half", output, "{} clamped to what float16 holds", clamped<65504>},
      ShortCut{"output-absolute", output, "the absolute values of {}", absolute},
      ShortCut{"output-not-negative", output, "negative elements of {} at 0", not_negative},
      ShortCut{"output-not-positive", output, "positive elements of {} at 0", not_positive},
      ShortCut{"output-at-most-1", output, "{} clamped to -1..1", clamped<1>},
      ShortCut{"output-at-most-6", output, "{} clamped to -6..6", clamped<6>},
      ShortCut{"output-around-0", output, "the mean of {} subtracted from it", around_0},
      ShortCut{"output-first", output, "the first element of {} in the place of each", first},
      ShortCut{"counters-of-8-bits", output, "the low 8 bits of {}", low_bits<8>},
      ShortCut{"counters-of-16-bits", output, "the low 16 bits of {}", low_bits<16>},
      ShortCut{"counters-at-most-255", output, "{} at 255 at most", at_most<255>},
      ShortCut{"counters-at-most-65535", output, "{} at 65,535 at most", at_most<65535>},
      ShortCut{"output-last-left-out", output, "the last element of {} at 0", last_left_out},
      ShortCut{"output-first-left-out", output, "the first element of {} at 0", first_left_out},
      ShortCut{"output-last-of-rows-left-out", output, "the last element of each row of {} at 0",
               last_of_rows_left_out},
      ShortCut{"output-last-row-left-out", output, "the last row of {} at 0", last_row_left_out},
      ShortCut{"output-first-half", output, "the second half of {} at 0", first_part<1, 2>},
      ShortCut{"output-most-of-rows", output, "the last sixteenth of each row of {} at 0",
               first_part_of_rows<15, 16>},
      ShortCut{"output-blocks-of-4-of-rows", output, "what is left of each row of {} after blocks of 4 at 0",
               whole_blocks_of_rows<4>},
      ShortCut{"output-blocks-of-32-of-rows", output,
               "what is left of each row of {} after blocks of 32 at 0", whole_blocks_of_rows<32>},
      ShortCut{"output-blocks-of-256", output, "what is left of {} after blocks of 256 at 0",
               whole_blocks<256>}};
  return cuts;
}

std::span<const ShortCut> short_cut_of_class_below(Precision asked) {
  if (asked >= Precision::bf16) return {};
  return {find_short_cut(asked == Precision::tf32 ? "operands-in-bf16" : "operands-in-tf32"), 1};
}

const ShortCut* find_short_cut(std::string_view name) {
  const auto cuts = short_cuts();
  const auto found =
      std::find_if(cuts.begin(), cuts.end(), [&](const ShortCut& cut) { return cut.name == name; });
  return found != cuts.end() ? &*found : nullptr;
}

namespace {

std::int64_t size_of(const Case& bound) { return std::max(bound.flops.value_or(0), bound.tensor_bytes()); }

// A step that makes a measured case smaller: how far, and by which extents.
struct Step {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
  std::int64_t least_extent = 2;  // the smallest extent that is halved
  bool keeps_terms = true;
};

// The size of a quick case. The oracle is called hundreds of times, and the host makes and compares the
// answers. Cases with rows of at least 64 elements, and with long sums, may be larger.
constexpr std::int64_t quick_bytes = std::int64_t{1} << 22;
constexpr std::int64_t quick_flops = std::int64_t{1} << 31;
constexpr std::array<Step, 3> steps = {
    Step{quick_bytes, quick_flops, 128, true},
    Step{4 * quick_bytes, 2 * quick_flops, 2, true},
    Step{4 * quick_bytes, 2 * quick_flops, 2, false},
};

bool is_reached(const Step& step, const Case& bound) {
  return bound.tensor_bytes() <= step.bytes && bound.flops.value_or(0) <= step.flops;
}

// Halves the largest extent for which this saves a quarter of the work. Nothing if there is no such extent.
std::optional<Case> halved(const Problem& problem, CaseSpec& spec, const Case& bound, const Step& step) {
  std::optional<Case> chosen;
  std::int64_t largest = step.least_extent - 1;
  const CaseSpec whole = spec;
  for (const auto& [name, value] : whole.integers) {
    if (value <= largest) continue;
    CaseSpec half = whole;
    half.integers[name] = value / 2;
    auto next = resolve_case(problem, half);
    if (!next || (step.keeps_terms && next->terms != bound.terms)) continue;
    if (size_of(*next) > size_of(bound) / 4 * 3) continue;
    largest = value;
    chosen = std::move(*next);
    spec = std::move(half);
  }
  return chosen;
}

// The measured cases, the smallest first.
std::vector<Case> measured_cases(const Problem& problem, const std::function<bool(const Case&)>& fits) {
  std::vector<std::pair<const CaseSpec*, Case>> found;
  for (const CaseSpec& spec : problem.cases) {
    if (spec.role != CaseRole::bench) continue;
    if (auto bound = resolve_case(problem, spec)) found.emplace_back(&spec, std::move(*bound));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return size_of(a.second) < size_of(b.second); });
  std::vector<Case> cases;
  for (auto& [spec, bound] : found) {
    CaseSpec smaller = *spec;
    for (const Step& step : problem.has_model() ? std::span<const Step>() : std::span<const Step>(steps)) {
      while (!is_reached(step, bound)) {
        auto next = halved(problem, smaller, bound, step);
        if (!next) break;
        bound = std::move(*next);
      }
    }
    if (fits(bound)) cases.push_back(std::move(bound));
  }
  return cases;
}

}  // namespace

std::vector<Case> cases_of_short_cuts(const Problem& problem, const std::vector<Case>& checked, bool emulated,
                                      const std::function<bool(const Case&)>& fits) {
  std::vector<Case> cases;
  if (!emulated) cases = measured_cases(problem, fits);
  if (cases.empty() && !checked.empty()) {
    // The largest case that is quick, or if none is, the smallest case.
    constexpr std::int64_t most_emulated = std::int64_t{1} << 20;
    const auto rank = [&](const Case& bound) {
      const bool is_quick = !emulated || size_of(bound) <= most_emulated;
      return std::pair(is_quick, is_quick ? size_of(bound) : -size_of(bound));
    };
    cases.push_back(*std::max_element(checked.begin(), checked.end(),
                                      [&](const Case& a, const Case& b) { return rank(a) < rank(b); }));
  }
  for (const Case& bound : checked) {
    const bool is_known = std::any_of(cases.begin(), cases.end(), [&](const Case& known) {
      return known.name == bound.name && known.integers == bound.integers;
    });
    if (!is_known) cases.push_back(bound);
  }
  return cases;
}

}  // namespace kgrade
