// reference/ops/norm.cuh against the textbook formula in long double.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tests/reference/operator_arguments.h"
#include "tests/reference/operator_library.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test::norm_test {

using testing::Each;
using testing::ElementsAre;
using Norm = int(const NormArguments*, const double*, const float*, const float*, double*);
// The number of the group of values with which a plane is normalised.
using SetOfPlane = std::int64_t(const NormArguments&, std::int64_t sample, std::int64_t channel);

std::int64_t channel_over_the_batch(const NormArguments&, std::int64_t, std::int64_t channel) {
  return channel;
}

std::int64_t group_of_the_sample(const NormArguments& a, std::int64_t sample, std::int64_t channel) {
  return sample * a.groups + channel * a.groups / a.channels;
}

std::size_t elements(const NormArguments& a) {
  return static_cast<std::size_t>(a.batch * a.channels * a.positions);
}

struct Tensors {
  std::vector<double> input;
  std::vector<float> weight;
  std::vector<float> bias;
};

// Inputs within `scale`, weights and biases within 2.
Tensors random_tensors(const NormArguments& a, double scale, std::mt19937& random) {
  const auto number = [&](double most) { return (static_cast<double>(random()) * 0x1p-31 - 1) * most; };
  Tensors tensors;
  for (std::size_t i = 0; i < elements(a); ++i) tensors.input.push_back(number(scale));
  for (std::int64_t channel = 0; channel < a.channels; ++channel) {
    tensors.weight.push_back(static_cast<float>(number(2)));
    tensors.bias.push_back(static_cast<float>(number(2)));
  }
  return tensors;
}

struct HostNorm {
  std::vector<long double> values;
  long double least_deviation = std::numeric_limits<long double>::infinity();  // sqrt(variance + epsilon)
  double planes_of_a_set = 0;
};

void normalise_set(const NormArguments& a, const Tensors& tensors, const std::vector<std::size_t>& members,
                   HostNorm& result) {
  const auto count = static_cast<long double>(members.size());
  long double mean = 0, variance = 0;
  for (const std::size_t i : members) mean += tensors.input[i] / count;
  for (const std::size_t i : members) {
    variance += (tensors.input[i] - mean) * (tensors.input[i] - mean) / count;
  }
  const long double deviation = std::sqrt(variance + a.epsilon);
  for (const std::size_t i : members) {
    const std::size_t channel = i / a.positions % a.channels;
    result.values[i] =
        (tensors.input[i] - mean) / deviation * tensors.weight[channel] + tensors.bias[channel];
  }
  result.least_deviation = std::min(result.least_deviation, deviation);
  result.planes_of_a_set = static_cast<double>(members.size()) / static_cast<double>(a.positions);
}

HostNorm host_norm(const NormArguments& a, const Tensors& tensors, SetOfPlane* set_of_plane) {
  std::map<std::int64_t, std::vector<std::size_t>> sets;
  for (std::size_t i = 0; i < elements(a); ++i) {
    const std::int64_t plane = static_cast<std::int64_t>(i) / a.positions;
    sets[set_of_plane(a, plane / a.channels, plane % a.channels)].push_back(i);
  }
  HostNorm result;
  result.values.resize(elements(a));
  for (const auto& [set, members] : sets) normalise_set(a, tensors, members, result);
  return result;
}

// The rounding errors that double arithmetic may make, to first order in u = 2^-53. A value passes through at
// most n additions: its thread's, then 8 halvings of 256 threads. With M the greatest input and D the least
// deviation, r = M / D:
//   the mean is off by (n + 1) u M, so x - mean by (n + 3) u M;
//   the deviation is off by the factor (n + 3) u r + (n + 6) u;
//   (x - mean) / D <= 2 r, times a weight <= 2, plus a bias <= 2, each step rounded once more.
// Added up and rounded upwards: (n + 8) u (4 (1 + r)^2 + 2).
double rounding_bound(const NormArguments& a, double greatest_input, const HostNorm& host) {
  const double additions = host.planes_of_a_set * std::ceil(static_cast<double>(a.positions) / 256) + 8;
  const double ratio = greatest_input / static_cast<double>(host.least_deviation);
  return (additions + 8) * 0x1p-53 * (4 * (1 + ratio) * (1 + ratio) + 2);
}

class ReferenceNorm : public testing::Test {
 protected:
  std::vector<double> run(Norm* norm, const NormArguments& arguments, const Tensors& tensors) const {
    OutputBuffer<double> output(elements(arguments));
    EXPECT_EQ(
        norm(&arguments, tensors.input.data(), tensors.weight.data(), tensors.bias.data(), output.data()), 0);
    EXPECT_TRUE(output.guards_intact());
    return output.values();
  }

  void expect_formula(Norm* norm, SetOfPlane* set_of_plane, const NormArguments& arguments,
                      double scale = 8) {
    SCOPED_TRACE(testing::Message() << "batch " << arguments.batch << ", channels " << arguments.channels
                                    << ", positions " << arguments.positions << ", groups "
                                    << arguments.groups);
    const Tensors tensors = random_tensors(arguments, scale, random_);
    const HostNorm expected = host_norm(arguments, tensors, set_of_plane);
    EXPECT_TRUE(
        matches(run(norm, arguments, tensors), expected.values, rounding_bound(arguments, scale, expected)));
  }

  void expect_in_place(Norm* norm, const NormArguments& arguments) {
    Tensors tensors = random_tensors(arguments, 8, random_);
    const auto expected = run(norm, arguments, tensors);
    double* const data = tensors.input.data();
    EXPECT_EQ(norm(&arguments, data, tensors.weight.data(), tensors.bias.data(), data), 0);
    EXPECT_EQ(tensors.input, expected);
  }

  const LoadedLibrary& library_ = operator_library("norm_operators.cu");
  Norm* const batch_norm_ = library_.function<Norm>("batch_norm");
  Norm* const group_norm_ = library_.function<Norm>("group_norm");
  std::mt19937 random_{3};
};

// Mean 2, mean of the squared deviations 1, and sqrt(1 + 3) = 2.
TEST_F(ReferenceNorm, UsesTheBiasedVarianceAndAddsEpsilonBeforeTheRoot) {
  const Tensors tensors{.input = {1, 3}, .weight = {4}, .bias = {10}};
  EXPECT_THAT(run(batch_norm_, {.positions = 2, .epsilon = 3}, tensors), ElementsAre(8, 12));
  EXPECT_THAT(run(batch_norm_, {.batch = 2, .epsilon = 3}, tensors), ElementsAre(8, 12));
  EXPECT_THAT(run(group_norm_, {.positions = 2, .epsilon = 3}, tensors), ElementsAre(8, 12));
}

TEST_F(ReferenceNorm, BatchNormTakesEachChannelOverTheBatch) {
  for (const NormArguments& arguments :
       std::initializer_list<NormArguments>{{.batch = 4, .channels = 3, .positions = 35},
                                            {.batch = 1, .channels = 5, .positions = 256},
                                            {.batch = 2, .channels = 2, .positions = 700},
                                            {.batch = 7, .channels = 300, .positions = 1},
                                            {.batch = 3, .channels = 1, .positions = 257}}) {
    expect_formula(batch_norm_, channel_over_the_batch, arguments);
  }
}

TEST_F(ReferenceNorm, GroupNormTakesTheGroupsOfEachSample) {
  for (const NormArguments& arguments :
       std::initializer_list<NormArguments>{{.batch = 3, .channels = 8, .positions = 35, .groups = 4},
                                            {.batch = 2, .channels = 6, .positions = 700, .groups = 2},
                                            {.batch = 2, .channels = 9, .positions = 1, .groups = 3},
                                            {.batch = 5, .channels = 4, .positions = 256, .groups = 1},
                                            {.batch = 1, .channels = 5, .positions = 257, .groups = 5}}) {
    expect_formula(group_norm_, group_of_the_sample, arguments);
  }
}

TEST_F(ReferenceNorm, CountsEpsilonWhereTheVarianceIsSmaller) {
  expect_formula(batch_norm_, channel_over_the_batch, {.batch = 2, .channels = 3, .positions = 40}, 1e-3);
  expect_formula(group_norm_, group_of_the_sample, {.channels = 6, .positions = 40, .groups = 3}, 1e-3);
}

TEST_F(ReferenceNorm, GivesTheBiasWhereAllInputsAreEqual) {
  const NormArguments arguments{.batch = 2, .positions = 300};
  const Tensors tensors{.input = std::vector<double>(600, 7), .weight = {3}, .bias = {0.25f}};
  EXPECT_THAT(run(batch_norm_, arguments, tensors), Each(0.25));
  EXPECT_THAT(run(group_norm_, arguments, tensors), Each(0.25));
}

// Means and deviations are whole numbers here, so that nothing is rounded. E[x^2] - E[x]^2 would be: 2^80
// leaves no place for a variance of 1.
TEST_F(ReferenceNorm, KeepsItsDigitsFarFromZero) {
  const NormArguments arguments{.batch = 2, .positions = 300};
  Tensors near{.input = {}, .weight = {3}, .bias = {0.25f}};
  for (int i = 0; i < 600; ++i) near.input.push_back(i % 2 == 0 ? 1 : -1);
  Tensors far = near;
  for (double& value : far.input) value += 0x1p40;
  EXPECT_EQ(run(batch_norm_, arguments, far), run(batch_norm_, arguments, near));
  EXPECT_EQ(run(group_norm_, arguments, far), run(group_norm_, arguments, near));
}

TEST_F(ReferenceNorm, WorksInPlace) {
  expect_in_place(batch_norm_, {.batch = 3, .channels = 4, .positions = 300});
  expect_in_place(group_norm_, {.batch = 3, .channels = 4, .positions = 300, .groups = 2});
}

}  // namespace kgrade::test::norm_test
