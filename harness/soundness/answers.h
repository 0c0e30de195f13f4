// Wrong answers that cost a kernel little or nothing, and what they are made from. No answer looks at a value
// that is not finite.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "device/contents.h"
#include "problem/case.h"
#include "soundness/values.h"

namespace kgrade {

// As the referee compares outputs (device/element_operations.h). Both have as many elements; the actual ones
// are rounded to the type that they would be stored in. `first`: the number of the first element, where they
// are a part of an output.
ElementErrors compare(std::span<const float> actual, std::span<const float> expected,
                      Dtype dtype = Dtype::float32, std::size_t first = 0);

// Writes elements of an answer, from number `first` on.
using SliceMaker = std::function<void(std::size_t first, std::span<float> slice)>;

// The same of an answer that is made slice by slice, in order: an output may fill much of the host's memory.
ElementErrors compare_made(const SliceMaker& make, std::span<const float> expected,
                           Dtype dtype = Dtype::float32);
inline constexpr std::size_t slice_elements = std::size_t{1} << 22;

// Every element replaced by the mean along one axis of the shape, against the elements themselves. In slices
// too.
ElementErrors compare_axis_means(std::span<const float> values, const std::vector<std::int64_t>& shape,
                                 std::size_t axis, Dtype dtype = Dtype::float32);

// 0 where no value is finite.
double mean_of(const Values& values);

bool is_constant(const Values& values);

// The same elements in another order, which is drawn from the seed; never the same values at the same places
// unless they are all equal.
Values shuffled(Values values, std::uint64_t seed);

// One half of the elements, drawn from the seed, replaced by the mean of all: what a sum over them becomes
// when it is made from a sample of the terms.
Values half_replaced_by_mean(Values values, std::uint64_t seed);

// Another value that the distribution can yield, as far from this one as that allows; a constant becomes a
// larger value.
float flipped(float value, const ResolvedInit& init);

}  // namespace kgrade
