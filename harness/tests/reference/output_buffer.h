// The memory that an operator writes to, and the comparison of the result.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kgrade::test {

// `count` elements with a guard on either side. All are NaN at first, so that an element that is left
// unwritten equals nothing and one that is written in a guard shows.
template <class T>
class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t count)
      : elements_(count + 2 * guard, std::numeric_limits<T>::quiet_NaN()) {}

  T* data() { return elements_.data() + guard; }
  std::vector<T> values() const { return {elements_.begin() + guard, elements_.end() - guard}; }
  bool guards_intact() const {
    const auto is_nan = [](T value) { return std::isnan(value); };
    return std::all_of(elements_.begin(), elements_.begin() + guard, is_nan) &&
           std::all_of(elements_.end() - guard, elements_.end(), is_nan);
  }

 private:
  static constexpr std::ptrdiff_t guard = 64;
  std::vector<T> elements_;
};

// Whether each element is within `bound` of its expected value; NaN never is. Says where not.
template <class T, class Expected>
testing::AssertionResult matches(const std::vector<T>& actual, const std::vector<Expected>& expected,
                                 double bound = 0) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure() << actual.size() << " elements instead of " << expected.size();
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto error = std::abs(actual[i] - expected[i]);
    if (error <= bound) continue;
    return testing::AssertionFailure() << "element " << i << " of " << actual.size() << " is " << actual[i]
                                       << " instead of " << expected[i] << ", off by " << error;
  }
  return testing::AssertionSuccess();
}

template <class T, class Expected>
testing::AssertionResult matches(const OutputBuffer<T>& actual, const std::vector<Expected>& expected,
                                 double bound = 0) {
  if (!actual.guards_intact()) return testing::AssertionFailure() << "wrote outside of the output";
  return matches(actual.values(), expected, bound);
}

}  // namespace kgrade::test
