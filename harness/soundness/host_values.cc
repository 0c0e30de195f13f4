#include "soundness/host_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "contest/call_contents.h"
#include "device/element_errors.h"

namespace kgrade {
namespace {

// With fewer elements, one thread finishes before further threads have started.
constexpr std::size_t least_for_threads = std::size_t{1} << 22;

// Rounds to the nearest integer. Values out of range become the largest or smallest integer.
std::int64_t nearest_integer(float value) {
  constexpr float beyond = 0x1p63F;
  if (std::fabs(value) < beyond) return std::llround(value);
  return value > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

ElementErrors compare_part(const Elements& actual, const Elements& expected, const OutputForm& form,
                           std::size_t first, std::size_t begin, std::size_t end) {
  ElementErrors total;
  if (form.quantised.values != nullptr) {
    constexpr std::uint32_t byte = 0xFF;
    for (std::size_t i = begin; i < end; ++i)
      device::accumulate_codes(total, form.quantised, *form.magnitudes,
                               static_cast<std::uint32_t>(actual.integer(i)) & byte,
                               static_cast<std::uint32_t>(expected.integer(i)) & byte, first + i);
    return total;
  }
  if (is_integer(form.dtype)) {
    // `actual` and `expected` are one part of an output, from element `first` on. Other parts are unknown
    // here.
    const auto element_of = [first](const Elements& elements) {
      return [first, &elements](std::uint64_t i) {
        return elements.integer(static_cast<std::size_t>(i - first));
      };
    };
    const device::IntegerOutputs outputs{element_of(actual), element_of(expected), std::uint64_t{first},
                                         std::uint64_t{first + actual.size()}};
    for (std::size_t i = begin; i < end; ++i)
      device::accumulate_integer(total, actual.integer(i), expected.integer(i), first + i,
                                 device::is_right_integer(form.tied, outputs, first + i));
    return total;
  }
  for (std::size_t i = begin; i < end; ++i)
    device::accumulate(total, rounded_to(form.dtype, actual.value(i)), expected.value(i), first + i,
                       form.dtype, *form.magnitudes);
  return total;
}

// The form with the magnitudes of all expected elements.
OutputForm complete(const OutputForm& form, const Elements& expected) {
  if (form.magnitudes) return form;
  OutputForm whole = form;
  const bool has_codes = form.quantised.values != nullptr;
  if (is_integer(form.dtype) && !has_codes) {
    whole.magnitudes = Magnitudes();
    return whole;
  }
  whole.magnitudes =
      magnitudes_of(sample_of(has_codes ? std::span(reinterpret_cast<const float*>(form.quantised.values),
                                                    expected.size() * codes_per_byte(form.quantised.code))
                                        : expected.values()));
  return whole;
}

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

// The means of `width` columns with `extent` rows. Rows lie `stride` elements apart.
Values column_means(std::span<const float> values, std::size_t width, std::size_t stride,
                    std::size_t extent) {
  std::vector<double> sums(width);
  std::vector<std::size_t> counts(width);
  for (std::size_t row = 0; row < extent; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const float value = values[row * stride + i];
      if (!std::isfinite(value)) continue;
      sums[i] += static_cast<double>(value);
      counts[i] += 1;
    }
  }
  Values means(width);
  for (std::size_t i = 0; i < width; ++i)
    means[i] = static_cast<float>(sums[i] / static_cast<double>(std::max<std::size_t>(1, counts[i])));
  return means;
}

double largest_error(const std::vector<Values>& answer, const std::vector<Values>& expected,
                     const Case& bound, bool only_by_norm, const ExpectedScales& scales) {
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tensor& tensor = output_of(bound, i);
    if (only_by_norm && tensor.compare != Comparison::Kind::norm) continue;
    // Thresholds do not affect the error.
    const Judgement judgement = judge(compare(answer[i], expected[i], {bound.dtype_of(tensor)}), {},
                                      Precision::fp32, scales.usual(i));
    error = std::max(error, judgement.relative_error);
  }
  return error;
}

}  // namespace

std::int64_t Elements::integer(std::size_t i) const {
  return integers_.empty() ? nearest_integer(values_[i]) : integers_[i];
}

Elements Elements::part(std::size_t first, std::size_t count) const {
  return {values_.subspan(first, count), integers_.empty() ? integers_ : integers_.subspan(first, count)};
}

void in_parts(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
  const std::size_t parts =
      count < least_for_threads ? 1 : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::future<void>> rest;
  for (std::size_t part = 1; part < parts; ++part)
    rest.push_back(std::async(std::launch::async, work, count * part / parts, count * (part + 1) / parts));
  work(0, count / parts);
  for (auto& part : rest) part.get();
}

ElementErrors compare(const Elements& actual, const Elements& expected, const OutputForm& form,
                      std::size_t first) {
  const OutputForm whole = complete(form, expected);
  std::map<std::size_t, ElementErrors> parts;  // by their first element
  std::mutex mutex;
  in_parts(actual.size(), [&](std::size_t begin, std::size_t end) {
    const ElementErrors errors = compare_part(actual, expected, whole, first, begin, end);
    const std::lock_guard lock(mutex);
    parts[begin] = errors;
  });
  ElementErrors total;
  for (const auto& part : parts) device::merge(total, part.second);
  return total;
}

ElementErrors compare_made(const SliceMaker& make, const Elements& expected, const OutputForm& form) {
  const OutputForm whole = complete(form, expected);
  ElementErrors total;
  Values slice(std::min(expected.size(), slice_elements));
  for (std::size_t first = 0; first < expected.size(); first += slice_elements) {
    const std::span<float> made(slice.data(), std::min(slice_elements, expected.size() - first));
    make(first, made);
    device::merge(total,
                  compare(std::span<const float>(made), expected.part(first, made.size()), whole, first));
  }
  return total;
}

// Compares many short rows at a time, and long rows in parts.
ElementErrors compare_axis_means(const Elements& values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, const OutputForm& form) {
  const OutputForm whole = complete(form, values);
  const auto inner = static_cast<std::size_t>(product(shape, axis + 1, shape.size()));
  const auto extent = static_cast<std::size_t>(shape[axis]);
  const std::size_t most_rows = std::clamp<std::size_t>(slice_elements / inner, 1, extent);
  ElementErrors total;
  for (std::size_t block = 0; block < values.size(); block += extent * inner) {
    for (std::size_t column = 0; column < inner; column += slice_elements) {
      const std::size_t width = std::min(slice_elements, inner - column);
      Values means = column_means(values.values().subspan(block + column), width, inner, extent);
      means.reserve(most_rows * width);
      for (std::size_t row = 1; row < most_rows; ++row)
        means.insert(means.end(), means.begin(), means.begin() + static_cast<std::ptrdiff_t>(width));
      for (std::size_t row = 0; row < extent; row += most_rows) {
        const std::size_t count = std::min(most_rows, extent - row) * width;
        const std::size_t first = block + row * inner + column;
        device::merge(total,
                      compare(Elements(means).part(0, count), values.part(first, count), whole, first));
      }
    }
  }
  return total;
}

const Tensor& output_of(const Case& bound, std::size_t output) {
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.output && output-- == 0) return tensor;
  }
  throw std::logic_error("the case has fewer outputs");
}

double error_of(const std::vector<Values>& answer, const std::vector<Values>& expected, const Case& bound) {
  return largest_error(answer, expected, bound, false, {});
}

double rounding_error_of(const std::vector<Values>& answer, const std::vector<Values>& expected,
                         const Case& bound, const ExpectedScales& scales) {
  return largest_error(answer, expected, bound, true, scales);
}

bool has_output_by_norm(const Case& bound) {
  return std::any_of(bound.tensors.begin(), bound.tensors.end(), [](const Tensor& tensor) {
    return tensor.output && tensor.compare == Comparison::Kind::norm;
  });
}

bool has_ties(const Case& bound) {
  return std::any_of(bound.tensors.begin(), bound.tensors.end(), [](const Tensor& tensor) {
    return tensor.tied.has_value() || tensor.quantised.has_value();
  });
}

namespace {

// The elements of an output as stored bytes.
std::vector<unsigned char> stored_bytes(Dtype dtype, const Values& values) {
  std::vector<unsigned char> bytes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) store_element(dtype, bytes.data(), i, values[i]);
  return bytes;
}

// The number of a tensor within the outputs.
std::size_t output_number(const Case& bound, std::size_t tensor) {
  const auto begin = bound.tensors.begin();
  return static_cast<std::size_t>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(tensor),
                                                [](const Tensor& each) { return each.output; }));
}

}  // namespace

OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected) {
  return form_of(bound, output, inputs, expected, expected);
}

OutputForm form_of(const Case& bound, std::size_t output, const std::vector<Values>& inputs,
                   const std::vector<Values>& expected, const std::vector<Values>& answers) {
  const Tensor& tensor = output_of(bound, output);
  OutputForm form{bound.dtype_of(tensor)};
  if (tensor.quantised && !inputs.empty() && !expected.empty()) {
    const Dtype dtype = bound.dtype_of(bound.tensors[tensor.quantised->scales]);
    const std::size_t scales = output_number(bound, tensor.quantised->scales);
    form.scales = std::make_shared<const ScaleBytes>(
        ScaleBytes{stored_bytes(dtype, answers[scales]), stored_bytes(dtype, expected[scales])});
    form.quantised = layout_of_codes(bound, tensor);
    form.quantised.dtype = Dtype::float32;
    form.quantised.values = reinterpret_cast<const unsigned char*>(inputs[tensor.quantised->values].data());
    form.quantised.scales = form.scales->actual.data();
    form.quantised.expected_scales = form.scales->expected.data();
    return form;
  }
  if (!tensor.tied || inputs.empty()) return form;
  const Values& values = inputs[tensor.tied->tensor];
  form.tied = layout_of_ties(bound, tensor);
  const bool is_exact = values.integers.empty();
  form.tied.dtype = is_exact ? Dtype::float32 : Dtype::int64;
  form.tied.values = is_exact ? reinterpret_cast<const unsigned char*>(values.data())
                              : reinterpret_cast<const unsigned char*>(values.integers.data());
  return form;
}

std::string Acceptance::figures(std::size_t output, const Judgement& judgement) const {
  // The text names the class, because a candidate may declare a lower class than the problem's.
  return fmt::format("the error is {:.1e} over {}, and {} allows {:.1e}", judgement.figure(),
                     to_string(judgement.decided_by), to_string(required_), threshold(output));
}

namespace {

// Bounds the reads, because even a short read takes about ten microseconds.
constexpr std::uint64_t most_runs = 4096;

std::uint64_t product(const std::vector<std::uint64_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::uint64_t{1}, std::multiplies<>());
}

// Divides `extent` places into `count` equal parts and chooses one place in each, with room for `width`
// neighbours.
std::vector<std::uint64_t> places(std::uint64_t extent, std::uint64_t count, std::uint64_t width,
                                  std::mt19937_64& generator) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t part = 0; part < count; ++part) {
    const std::uint64_t begin = extent * part / count;
    const std::uint64_t end = extent * (part + 1) / count;
    chosen.push_back(begin + generator() % (end - begin - width + 1));
  }
  return chosen;
}

}  // namespace

TensorSample sample_of(const std::vector<std::int64_t>& shape, std::uint64_t most) {
  const std::vector<std::uint64_t> extents(shape.begin(), shape.end());
  const std::uint64_t elements = product(extents);
  if (elements <= most) return {shape, {0}, elements};
  // Elements along this axis and all later axes are adjacent in memory.
  std::size_t axis = extents.size() - 1;
  std::uint64_t inner = 1;
  const std::uint64_t least = std::max<std::uint64_t>(most / most_runs, 1);
  while (axis > 0 && inner * extents[axis] < least) inner *= extents[axis--];
  const std::uint64_t width = std::min(extents[axis], least / inner);
  std::vector<std::uint64_t> counts(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  counts.back() = extents[axis] / width;
  while (product(counts) > 1 && product(counts) * width * inner > most) {
    std::uint64_t& largest = *std::max_element(counts.begin(), counts.end());
    largest = (largest + 1) / 2;
  }
  std::mt19937_64 generator(elements);
  TensorSample sample{shape, {0}, width * inner};
  std::uint64_t stride = elements;
  for (std::size_t i = 0; i <= axis; ++i) {
    stride /= extents[i];
    const std::uint64_t together = i == axis ? width : 1;
    sample.shape[i] = static_cast<std::int64_t>(counts[i] * together);
    const std::vector<std::uint64_t> chosen = places(extents[i], counts[i], together, generator);
    std::vector<std::uint64_t> begins;
    for (const std::uint64_t outer : sample.begins) {
      for (const std::uint64_t place : chosen) begins.push_back(outer + place * stride);
    }
    sample.begins = std::move(begins);
  }
  return sample;
}

}  // namespace kgrade
