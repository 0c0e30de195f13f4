// reference/ops/pool.cuh against the host. A maximum is one of the inputs, so results compare by equality.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/reference/operator_arguments.h"
#include "tests/reference/operator_library.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test::pool_test {

using testing::ElementsAre;

using MaxPool = int(const PoolArguments*, const double*, double*);
using MaxPoolExtents = void(const PoolArguments*, int*);

// The number of complete windows that fit into an extent.
int windows(int extent, const PoolArguments& a) {
  int count = 0;
  while (count * a.stride + a.window <= extent) ++count;
  return count;
}

bool covers(int window, int position, const PoolArguments& a) {
  return position >= window * a.stride && position < window * a.stride + a.window;
}

// Offers each input to every window that covers it.
std::vector<double> host_max_pool(const PoolArguments& a, const std::vector<double>& input) {
  const int rows = windows(a.height, a), columns = windows(a.width, a);
  std::vector<double> output(a.planes * rows * columns, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < input.size(); ++i) {
    const int x = static_cast<int>(i) % a.width, y = static_cast<int>(i) / a.width % a.height;
    const std::size_t plane = i / (a.height * a.width);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        if (!covers(row, y, a) || !covers(column, x, a)) continue;
        double& greatest = output[(plane * rows + row) * columns + column];
        greatest = std::max(greatest, input[i]);
      }
    }
  }
  return output;
}

class ReferenceMaxPool : public testing::Test {
 protected:
  std::vector<int> extents(const PoolArguments& arguments) const {
    std::vector<int> result(2);
    library_.function<MaxPoolExtents>("max_pool_extents")(&arguments, result.data());
    return result;
  }

  // Inputs from `least` to `least` + 1.
  void expect_same(const PoolArguments& arguments, double least = -0.5) {
    SCOPED_TRACE(testing::Message() << arguments.height << " x " << arguments.width << ", window "
                                    << arguments.window << ", stride " << arguments.stride);
    std::vector<double> input(arguments.planes * arguments.height * arguments.width);
    for (double& value : input) value = least + static_cast<double>(random_()) * 0x1p-32;
    const auto expected = host_max_pool(arguments, input);
    ASSERT_THAT(extents(arguments),
                ElementsAre(windows(arguments.height, arguments), windows(arguments.width, arguments)));
    OutputBuffer<double> output(expected.size());
    ASSERT_EQ(library_.function<MaxPool>("max_pool")(&arguments, input.data(), output.data()), 0);
    EXPECT_TRUE(matches(output, expected));
  }

  const LoadedLibrary& library_ = operator_library("plane_operators.cu");
  std::mt19937 random_{4};
};

TEST_F(ReferenceMaxPool, TakesTheGreatestOfEachWindow) {
  expect_same({.planes = 6, .height = 8, .width = 10});
  expect_same({.planes = 2, .height = 40, .width = 42});
  expect_same({.planes = 3, .height = 2, .width = 2});
}

TEST_F(ReferenceMaxPool, LeavesOutWindowsThatDoNotFit) {
  expect_same({.planes = 2, .height = 7, .width = 10});
  expect_same({.planes = 2, .height = 10, .width = 7});
  expect_same({.planes = 2, .height = 3, .width = 5});
}

TEST_F(ReferenceMaxPool, TakesWindowsThatOverlapAndThatLeaveGaps) {
  expect_same({.planes = 2, .height = 9, .width = 12, .window = 3, .stride = 2});
  expect_same({.planes = 2, .height = 9, .width = 12, .window = 3, .stride = 1});
  expect_same({.planes = 2, .height = 9, .width = 12, .window = 2, .stride = 3});
  expect_same({.planes = 2, .height = 4, .width = 5, .window = 1, .stride = 1});
}

TEST_F(ReferenceMaxPool, TakesInputsBelowZero) { expect_same({.planes = 4, .height = 6, .width = 6}, -3); }

// 70,000 planes are more than the 65,535 rows of a grid.
TEST_F(ReferenceMaxPool, TakesMorePlanesThanAGridHasRows) {
  expect_same({.planes = 70000, .height = 2, .width = 2});
}

// reference/ops/activation.cuh against the host.

using Activation = int(const double*, double*, std::int64_t);

// From -20 to 20, denser towards zero; neither a whole number of blocks nor less than one.
std::vector<double> inputs() {
  std::vector<double> values;
  for (int i = -500; i <= 500; ++i) values.push_back(i * std::abs(i) / 12500.0 + i * 1e-9);
  return values;
}

class ReferenceActivation : public testing::Test {
 protected:
  std::vector<double> run(const char* name, const std::vector<double>& input) const {
    OutputBuffer<double> output(input.size());
    EXPECT_EQ(library_.function<Activation>(name)(input.data(), output.data(),
                                                  static_cast<std::int64_t>(input.size())),
              0);
    EXPECT_TRUE(output.guards_intact());
    return output.values();
  }

  // Every output within the relative error `bound` of function(input) in long double.
  void expect_function(const char* name, long double (*function)(long double), double bound) const {
    const auto actual = run(name, inputs());
    std::vector<long double> relative_errors;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const long double expected = function(inputs()[i]);
      relative_errors.push_back(expected == 0 ? actual[i] : (actual[i] - expected) / expected);
    }
    EXPECT_TRUE(matches(relative_errors, std::vector<double>(actual.size(), 0), bound));
  }

  const LoadedLibrary& library_ = operator_library("plane_operators.cu");
};

TEST_F(ReferenceActivation, ReluKeepsWhatIsAboveZero) {
  std::vector<double> expected = inputs();
  for (double& value : expected) value = std::max(value, 0.0);
  EXPECT_EQ(run("relu", inputs()), expected);
}

// exp within 1 ulp is off by 2 units of 2^-53, the sum and the quotient by one each.
TEST_F(ReferenceActivation, SigmoidIsTheLogisticFunction) {
  expect_function(
      "sigmoid", [](long double x) { return 1 / (1 + std::exp(-x)); }, 0x1p-51);
  EXPECT_THAT(run("sigmoid", {0, 1000, -1000}), ElementsAre(0.5, 1, 0));
}

// The C library's tanh is within 2 ulp (its manual, "Errors in Math Functions"): 4 units of 2^-53.
TEST_F(ReferenceActivation, TanhIsTheHyperbolicTangent) {
  const auto by_exponentials = [](long double x) { return std::expm1(2 * x) / (std::expm1(2 * x) + 2); };
  expect_function("hyperbolic_tangent", by_exponentials, 0x1p-51);
  EXPECT_THAT(run("hyperbolic_tangent", {0, 1000, -1000}), ElementsAre(0, 1, -1));
}

TEST_F(ReferenceActivation, WorksInPlace) {
  std::vector<double> values = inputs();
  const auto expected = run("hyperbolic_tangent", values);
  const auto count = static_cast<std::int64_t>(values.size());
  const auto tanh = library_.function<Activation>("hyperbolic_tangent");
  EXPECT_EQ(tanh(values.data(), values.data(), count), 0);
  EXPECT_EQ(values, expected);
}

// Fours of neighbouring elements are read at once, where they begin at a multiple of 16 bytes.
TEST_F(ReferenceActivation, TakesAnyLengthFromAnyAddress) {
  const auto relu = library_.function<Activation>("relu");
  const std::vector<double> values = inputs();
  for (std::size_t count = 1; count < 10; ++count) {
    for (const std::size_t input_begin : {496, 497}) {
      for (const std::size_t output_begin : {4, 5}) {
        SCOPED_TRACE(testing::Message() << count << " from " << input_begin << " to " << output_begin);
        std::vector<double> expected(20, -1), actual = expected;
        for (std::size_t i = 0; i < count; ++i)
          expected[output_begin + i] = std::max(values[input_begin + i], 0.0);
        EXPECT_EQ(relu(&values[input_begin], &actual[output_begin], static_cast<std::int64_t>(count)), 0);
        EXPECT_EQ(actual, expected);
      }
    }
  }
}

}  // namespace kgrade::test::pool_test
