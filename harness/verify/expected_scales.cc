#include "verify/expected_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "device/element_errors.h"
#include "draw/input_families.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// A value is common if it fills more than one in this many elements.
constexpr std::size_t common_share = 100;

// An output with fewer elements than the first size gets calls of learn() in every class. Errors of single
// precision are far below the threshold, so only very small outputs cancel so well that an honest answer
// misses the threshold. Swish() after products makes this likelier: it maps negative products to nearly zero.
// Three quarters of 35 products are negative in one draw of a thousand, and all smaller elements are then
// nearly zero. Three quarters of 128 products are negative in one draw of 10^8.
//
// Errors of lower classes are a third of their threshold, so larger outputs need these calls too. The second
// size limits their cost. No larger output is known to have so few independent elements that it cancels.
constexpr std::int64_t few_for_single_precision = 128;
constexpr std::int64_t few_for_lower_classes = 1 << 16;

// Slices are judged separately if their sizes differ by more than this factor.
constexpr double far_apart = 1 << 10;
// The number of elements of a sample that is enough to show the size of a slice.
constexpr std::uint64_t enough_for_a_slice = 64;

constexpr int usual_draws = 16;
constexpr int many_draws = 64;
constexpr std::size_t rare_norms = 2;

// These draws differ from those of grade/baseline_bench.cc, grade/candidate_run.cc and all calls of a case.
constexpr std::uint32_t first_norm_draw = 3 << 20;
constexpr std::uint64_t seed_of_norms = 0x6e6f726d73;

bool has_output_below(const Case& bound, std::int64_t elements) {
  return std::any_of(bound.tensors.begin(), bound.tensors.end(), [elements](const Tensor& tensor) {
    return tensor.output && tensor.compare == Comparison::Kind::norm && tensor.elements < elements;
  });
}

// The most common values that fill more than a hundredth of the sorted elements.
std::vector<double> common_values(const std::vector<double>& sorted) {
  std::vector<std::pair<std::size_t, double>> counts;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto count = static_cast<std::size_t>(end - begin);
    if (count > 1 && count * common_share > sorted.size()) counts.emplace_back(count, *begin);
    begin = end;
  }
  std::sort(counts.rbegin(), counts.rend());
  counts.resize(std::min<std::size_t>(counts.size(), most_common_values));
  std::vector<double> values;
  for (const auto& [count, value] : counts) values.push_back(value);
  return values;
}

double root_mean_square(const std::vector<double>& sizes) {
  double squares = 0;
  for (const double size : sizes) squares += size * size;
  return sizes.empty() ? 0 : std::sqrt(squares / static_cast<double>(sizes.size()));
}

ElementErrors compare_samples(std::span<const double> actual, std::span<const double> expected,
                              const Magnitudes& magnitudes) {
  ElementErrors errors;
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i)
    device::accumulate(errors, actual[i], expected[i], i, Dtype::float64, magnitudes);
  return errors;
}

double mean_square(double squares, std::uint64_t elements) {
  return elements > 0 ? squares / static_cast<double>(elements) : 0;
}

// The slices of a sampled output along an axis of `extent`. None if they are too many, or too small.
Slices slices_along(const std::vector<double>& sample, std::uint64_t elements, std::uint64_t extent,
                    std::uint64_t inner) {
  if (extent < 2 || extent > most_slices || sample.size() < extent * enough_for_a_slice) return {};
  std::array<SetErrors, most_slices> sums{};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::uint64_t index = device::sampled_element(i, elements);
    if (std::isfinite(sample[i])) device::add(sums[index / inner % extent], 0, sample[i]);
  }
  Slices slices{static_cast<unsigned int>(extent), inner};
  for (std::size_t i = 0; i < extent; ++i) {
    if (sums[i].elements < enough_for_a_slice) return {};
    slices.rms[i] = std::sqrt(mean_square(sums[i].squared_expected, sums[i].elements));
  }
  return slices;
}

// How many times the largest slice is as large as the smallest one that is not zero.
double ratio_of(const Slices& slices) {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (unsigned int i = 0; i < slices.count; ++i) {
    largest = std::max(largest, slices.rms[i]);
    if (slices.rms[i] > 0) least = std::min(least, slices.rms[i]);
  }
  return largest / least;
}

// The mean of all but the largest values. Rare large values must not decide what is usual.
double usual_of(std::vector<double> squares) {
  std::sort(squares.begin(), squares.end());
  if (squares.size() > rare_norms) squares.resize(squares.size() - rare_norms);
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::isfinite(sum) && !squares.empty() ? sum / static_cast<double>(squares.size()) : 0;
}

MeanSquares usual_squares(const std::vector<ElementErrors>& calls) {
  std::vector<double> all;
  std::vector<double> varying;
  std::vector<double> smaller;
  for (const ElementErrors& errors : calls) {
    all.push_back(mean_square(errors.sum_squared_expected, errors.compared));
    varying.push_back(mean_square(errors.varying.squared_expected, errors.varying.elements));
    smaller.push_back(mean_square(errors.smaller.squared_expected, errors.smaller.elements));
  }
  return {usual_of(std::move(all)), usual_of(std::move(varying)), usual_of(std::move(smaller))};
}

}  // namespace

Magnitudes magnitudes_of(std::span<const double> sample) {
  Magnitudes magnitudes;
  std::vector<double> finite;
  std::copy_if(sample.begin(), sample.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  std::sort(finite.begin(), finite.end());
  std::vector<double> common = common_values(finite);
  const auto is_common = [&](double value) {
    return std::find(common.begin(), common.end(), value) != common.end();
  };
  if (std::all_of(finite.begin(), finite.end(), is_common)) common.clear();
  std::vector<double> sizes;
  for (const double value : finite) {
    if (!is_common(value)) sizes.push_back(std::fabs(value));
  }
  if (sizes.empty()) return magnitudes;
  std::sort(sizes.begin(), sizes.end());
  // The upper quartile of the sizes is rounded up to a power of two, because magnitudes differ a little from
  // draw to draw.
  const double quartile = sizes[(3 * sizes.size() - 1) / 4];
  magnitudes.smaller_limit = quartile > 0 ? std::exp2(std::ceil(std::log2(quartile))) : 0;
  magnitudes.rms = root_mean_square(sizes);
  std::copy(common.begin(), common.end(), magnitudes.common);
  magnitudes.common_count = static_cast<unsigned int>(common.size());
  return magnitudes;
}

std::vector<double> sample_of(std::span<const float> elements) {
  std::vector<double> sample(static_cast<std::size_t>(device::sample_size(elements.size())));
  for (std::size_t i = 0; i < sample.size(); ++i)
    sample[i] =
        static_cast<double>(elements[static_cast<std::size_t>(device::sampled_element(i, elements.size()))]);
  return sample;
}

double distance_between(std::span<const double> other, std::span<const double> expected,
                        const Magnitudes& magnitudes) {
  const ElementErrors errors = compare_samples(other, expected, magnitudes);
  return errors.nonfinite_mismatches > 0 ? std::numeric_limits<double>::infinity()
                                         : relative_errors(errors).largest();
}

int ExpectedScales::draws_of(const Case& bound, Precision required) {
  const bool is_close = required != Precision::fp32;
  if (has_output_below(bound, few_for_single_precision)) return is_close ? many_draws : usual_draws;
  return is_close && has_output_below(bound, few_for_lower_classes) ? usual_draws : 0;
}

std::optional<CallFinding> ExpectedScales::learn(Contest& contest, const Case& bound, Precision required) {
  DrawSequence draws(seed_of_norms, first_norm_draw);
  std::vector<Samples> calls;
  for (int call = draws_of(bound, required); call > 0; --call) {
    const CallReport report = contest.call(Role::oracle, draws.fresh(), trusted_patience);
    if (auto finding = review_call(report)) return finding;
    calls.push_back(contest.sample_expected());
  }
  learn_from(calls);
  return std::nullopt;
}

void ExpectedScales::learn_from(const std::vector<Samples>& calls) {
  if (calls.empty()) return;
  seen_ = static_cast<int>(calls.size());
  for (std::size_t output = 0; output < calls.front().size(); ++output)
    scales_.push_back(scale_of(calls, output));
}

ExpectedScales::Scale ExpectedScales::scale_of(const std::vector<Samples>& calls, std::size_t output) {
  std::vector<double> values;
  for (const Samples& call : calls) values.insert(values.end(), call[output].begin(), call[output].end());
  Scale scale;
  scale.magnitudes = magnitudes_of(values);
  std::vector<ElementErrors> sums;
  for (const Samples& call : calls) {
    sums.push_back(compare_samples(call[output], call[output], scale.magnitudes));
    add_distance(scale, call[output]);
  }
  if (calls.size() > 1) {
    scale.usual = usual_squares(sums);
    // No later call has the inputs of these calls, so it has only the common values that are the same for all
    // inputs.
    scale.magnitudes.fixed_count = scale.magnitudes.common_count;
  }
  return scale;
}

void ExpectedScales::add(const Samples& samples) {
  if (scales_.empty()) return learn_from({samples});
  ++seen_;
  for (std::size_t output = 0; output < scales_.size(); ++output) {
    if (seen_ ==
        2) {  // note which common values occur in the answer to other inputs too: move them to the front
      Magnitudes& magnitudes = scales_[output].magnitudes;
      const std::vector<double>& sample = samples[output];
      double* const end = std::partition(
          magnitudes.common, magnitudes.common + magnitudes.common_count,
          [&](double value) { return std::find(sample.begin(), sample.end(), value) != sample.end(); });
      magnitudes.fixed_count = static_cast<unsigned int>(end - magnitudes.common);
    }
    add_distance(scales_[output], samples[output]);
  }
}

void ExpectedScales::add_distance(Scale& scale, const std::vector<double>& sample) {
  if (!scale.latest.empty()) {
    const double distance = distance_between(scale.latest, sample, scale.magnitudes);
    scale.squared_distances += distance * distance;
    scale.distances += 1;
  }
  scale.latest = sample;
}

void ExpectedScales::look_for_slices(const Case& bound) {
  const std::vector<const Tensor*> outputs = bound.outputs();
  if (outputs.empty() || std::exchange(knows_slices_, true)) return;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const Tensor& output = *outputs[i % outputs.size()];
    if (output.compare != Comparison::Kind::norm) continue;
    double most = far_apart;
    std::uint64_t inner = 1;
    for (auto extent = output.shape.rbegin(); extent != output.shape.rend(); ++extent) {
      const Slices slices = slices_along(scales_[i].latest, static_cast<std::uint64_t>(output.elements),
                                         static_cast<std::uint64_t>(*extent), inner);
      inner *= static_cast<std::uint64_t>(*extent);
      if (!(ratio_of(slices) > most)) continue;
      most = ratio_of(slices);
      scales_[i].magnitudes.slices = slices;
    }
  }
}

std::vector<Magnitudes> ExpectedScales::magnitudes() const {
  std::vector<Magnitudes> magnitudes;
  for (const Scale& scale : scales_) magnitudes.push_back(scale.magnitudes);
  return magnitudes;
}

MeanSquares ExpectedScales::usual(std::size_t output) const {
  return scales_.empty() ? MeanSquares() : scales_[output % scales_.size()].usual;
}

bool ExpectedScales::is_zero(std::size_t output) const {
  if (scales_.empty()) return false;
  const std::vector<double>& latest = scales_[output % scales_.size()].latest;
  return std::all_of(latest.begin(), latest.end(), [](double value) { return value == 0; });
}

bool ExpectedScales::is_constant(std::size_t output) const {
  if (scales_.empty()) return false;
  const std::vector<double>& latest = scales_[output % scales_.size()].latest;
  return latest.size() > 1 &&
         std::all_of(latest.begin(), latest.end(), [&](double value) { return value == latest.front(); });
}

ExpectedScales::ExpectedScales(const Samples& of_families, const ExpectedScales& own) : growth_(2) {
  add(of_families);
  const std::size_t outputs = std::min(scales_.size(), own.scales_.size());
  for (std::size_t i = 0; i < outputs; ++i) scales_[i].limit = own.scales_[i].limit;
}

void ExpectedScales::allow_twice(std::size_t output, double error_of_reference) {
  if (scales_.empty()) return;
  double& least = scales_[output % scales_.size()].least_distance;
  least = std::max(least, 2 * share_of_distance * error_of_reference);
}

void ExpectedScales::limit_by_model(std::size_t output, double error_of_reference, double of_operators) {
  if (scales_.empty()) return;
  constexpr double times = 4;
  std::optional<double>& limit = scales_[output % scales_.size()].limit;
  limit = std::max({limit.value_or(0), times * error_of_reference, of_operators});
}

double ExpectedScales::limit(std::size_t output) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  return scales_.empty() ? none : scales_[output % scales_.size()].limit.value_or(none);
}

void ExpectedScales::allow_beyond_bound(std::size_t output, const ElementErrors& reference) {
  if (scales_.empty()) return;
  constexpr double times = 4;
  Scale& scale = scales_[output % scales_.size()];
  const RelativeErrors errors = relative_errors(reference, scale.usual);
  scale.allowed_varying = std::max(scale.allowed_varying, times * errors.varying);
  scale.allowed_smaller = std::max(scale.allowed_smaller, times * errors.smaller);
  scale.allowed_common = std::max(scale.allowed_common, times * errors.common);
  scale.allowed_scaled = std::max(scale.allowed_scaled, times * reference.max_scaled_difference);
}

ElementErrors ExpectedScales::without_allowed(std::size_t output, ElementErrors errors) const {
  if (scales_.empty()) return errors;
  const Scale& scale = scales_[output % scales_.size()];
  const RelativeErrors found = relative_errors(errors, scale.usual);
  if (found.varying <= scale.allowed_varying) errors.varying.squared_difference = 0;
  if (found.smaller <= scale.allowed_smaller) errors.smaller.squared_difference = 0;
  if (found.common <= scale.allowed_common) errors.common = 0;
  if (errors.max_scaled_difference <= scale.allowed_scaled) errors.max_scaled_difference = 0;
  if (!scale.keeps_slices.value_or(false)) errors.max_difference_in_slice = 0;
  return errors;
}

void ExpectedScales::note_reference(std::size_t output, const ElementErrors& reference,
                                    double most_in_slice) {
  if (scales_.empty()) return;
  constexpr std::uint64_t many = 4;  // more than one in this many is too many
  Scale& scale = scales_[output % scales_.size()];
  scale.keeps_values =
      scale.keeps_values.value_or(true) && reference.lost * many <= reference.varying.elements;
  scale.keeps_slices =
      scale.keeps_slices.value_or(true) && reference.max_difference_in_slice <= most_in_slice;
}

bool ExpectedScales::keeps_values(std::size_t output) const {
  return !scales_.empty() && scales_[output % scales_.size()].keeps_values.value_or(false);
}

double ExpectedScales::distance(std::size_t output) const {
  if (scales_.empty() || scales_[output % scales_.size()].distances == 0)
    return std::numeric_limits<double>::infinity();
  const Scale& scale = scales_[output % scales_.size()];
  return std::max(scale.least_distance, std::sqrt(scale.squared_distances / scale.distances));
}

bool is_made_constant(const ExpectedScales& varied, const ExpectedScales& own, std::size_t output) {
  return varied.is_constant(output) && !own.is_constant(output);
}

std::vector<Draw> draws_that_decide(const Problem& problem, const Case& bound, const Draw& draw,
                                    const ExpectedScales& varied, const ExpectedScales& own) {
  bool is_constant = draw.family != 0;
  for (std::size_t i = 0; i < bound.outputs().size(); ++i)
    is_constant = is_constant && is_made_constant(varied, own, i);
  const bool is_rounded = !is_constant && !problem.compares_exactly();
  return rounded_draws(bound, draw, is_rounded ? rounded_bits(precision_from(problem.precision)) : 0);
}

}  // namespace kgrade
