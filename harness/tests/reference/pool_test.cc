// reference/ops/pool.cuh against the host. A maximum is one of the inputs, so results compare by equality.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

  const OperatorLibrary& library_ = OperatorLibrary::shared("plane_operators.cu");
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

}  // namespace kgrade::test::pool_test
