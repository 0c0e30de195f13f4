// reference/ops/activation.cuh against the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/reference/operator_library.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test::activation_test {

using testing::ElementsAre;
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

  const OperatorLibrary& library_ = OperatorLibrary::shared("plane_operators.cu");
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

}  // namespace kgrade::test::activation_test
