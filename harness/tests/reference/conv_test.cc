// reference/ops/conv.cuh against the host. Results compare by equality: see whole_numbers().
#include <gmock/gmock.h>

#include <numeric>
#include <utility>

#include "tests/reference/conv_cases.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test::conv_test {

using testing::ElementsAre;

class ReferenceConv : public testing::Test {
 protected:
  const OperatorLibrary& library_ = OperatorLibrary::shared("conv_operators.cu");
  const ConvOperator conv_{library_, "conv"};
  std::mt19937 random_{1};
};

TEST_F(ReferenceConv, DoesNotFlipTheKernel) {
  const ConvArguments arguments{.input = {1, 1, 4}, .kernel = {1, 1, 2}};
  EXPECT_THAT(conv_.run(arguments, {1, 2, 3, 4}, {1, 10}, 3), ElementsAre(21, 32, 43));
}

TEST_F(ReferenceConv, AgreesWithAnInputThatIsPaddedBeforehand) {
  for (const auto& [name, arguments] : chosen_convs()) {
    SCOPED_TRACE(name);
    expect_same(conv_, host_conv, arguments, random_);
  }
}

TEST_F(ReferenceConv, AgreesOnRandomShapesOfEveryDimension) {
  for (int i = 0; i < 102; ++i) {
    const ConvArguments arguments = random_conv(random_, 1 + i % 3);
    SCOPED_TRACE(testing::Message() << arguments);
    expect_same(conv_, host_conv, arguments, random_);
  }
}

TEST_F(ReferenceConv, GivesOneValueWhereTheKernelCoversTheInput) {
  const ConvArguments arguments{
      .in_channels = 2, .input = {4, 3, 5}, .kernel = {4, 2, 3}, .stride = {2, 2, 3}, .dilation = {1, 2, 2}};
  EXPECT_EQ(conv_.extents(arguments), (Extents{1, 1, 1}));
  expect_same(conv_, host_conv, arguments, random_);
}

TEST_F(ReferenceConv, LeavesOutTheInputThatTheLastStrideDoesNotReach) {
  const ConvArguments arguments{.input = {1, 1, 6}, .kernel = {1, 1, 2}, .stride = {1, 1, 3}};
  EXPECT_THAT(conv_.run(arguments, {1, 2, 3, 4, 5, 6}, {1, 10}, 2), ElementsAre(21, 54));
}

// 70,000 planes are more than the 65,535 rows of a grid.
TEST_F(ReferenceConv, TakesMorePlanesThanAGridHasRows) {
  expect_same(conv_, host_conv, {.batch = 35000, .out_channels = 2}, random_);
}

TEST_F(ReferenceConv, AddsTheBiasOfAChannelToAllItsValues) {
  using Function = int(const ConvArguments*, const float*, const float*, const float*, float*);
  const auto conv_with_bias = library_.function<Function>("conv_with_bias");
  const ConvArguments arguments{.batch = 2, .out_channels = 2, .input = {1, 1, 3}, .kernel = {1, 1, 2}};
  const std::vector<float> input = {1, 2, 3, 4, 5, 6}, weight = {1, 10, 1, -1}, bias = {100, 0.5f};
  OutputBuffer<float> output(8);
  EXPECT_EQ(conv_with_bias(&arguments, input.data(), weight.data(), bias.data(), output.data()), 0);
  EXPECT_TRUE(output.guards_intact());
  EXPECT_THAT(output.values(), ElementsAre(121, 132, -0.5f, -0.5f, 154, 165, -0.5f, -0.5f));
}

// Of 1 + 2^-30 a float keeps only the 1, and of (1 + 2^-12)^2 not the 2^-24.
TEST_F(ReferenceConv, MultipliesAndSumsInDouble) {
  const float small = 0x1p-30f;
  const ConvArguments over_channels{.in_channels = 3};
  EXPECT_THAT(conv_.run(over_channels, {1, small, -1}, {1, 1, 1}, 1), ElementsAre(small));
  EXPECT_THAT(conv_.run(over_channels, {1 + 0x1p-12f, -1, 0}, {1 + 0x1p-12f, 1 + 0x1p-11f, 0}, 1),
              ElementsAre(0x1p-24f));
  const ConvArguments over_taps{.input = {1, 1, 3}, .kernel = {1, 1, 3}};
  EXPECT_THAT(conv_.run(over_taps, {1, small, -1}, {1, 1, 1}, 1), ElementsAre(small));
}

// reference/ops/conv_transpose.cuh against the host. Results compare by equality: see whole_numbers().

class ReferenceConvTranspose : public testing::Test {
 protected:
  const OperatorLibrary& library_ = OperatorLibrary::shared("conv_operators.cu");
  const ConvOperator conv_transpose_{library_, "conv_transpose"};
  std::mt19937 random_{2};
};

TEST_F(ReferenceConvTranspose, SpreadsEachInputOverTheOutput) {
  const ConvArguments arguments{.input = {1, 1, 2}, .kernel = {1, 1, 3}, .stride = {1, 1, 2}};
  EXPECT_THAT(conv_transpose_.run(arguments, {1, 2}, {1, 10, 100}, 5), ElementsAre(1, 10, 102, 20, 200));
}

TEST_F(ReferenceConvTranspose, DropsThePaddingAtBothEnds) {
  const ConvArguments arguments{
      .input = {1, 1, 2}, .kernel = {1, 1, 3}, .stride = {1, 1, 2}, .padding = {0, 0, 1}};
  EXPECT_THAT(conv_transpose_.run(arguments, {1, 2}, {1, 10, 100}, 3), ElementsAre(10, 102, 20));
}

TEST_F(ReferenceConvTranspose, AddsTheOutputPaddingAtTheEnd) {
  ConvArguments arguments{
      .input = {1, 1, 2}, .kernel = {1, 1, 3}, .stride = {1, 1, 2}, .output_padding = {0, 0, 1}};
  EXPECT_THAT(conv_transpose_.run(arguments, {1, 2}, {1, 10, 100}, 6), ElementsAre(1, 10, 102, 20, 200, 0));
  arguments.padding[2] = 1;
  EXPECT_THAT(conv_transpose_.run(arguments, {1, 2}, {1, 10, 100}, 4), ElementsAre(10, 102, 20, 200))
      << "with padding it uncovers what the padding had cut off";
}

TEST_F(ReferenceConvTranspose, AgreesWithScatteredInputs) {
  auto convs = chosen_convs();
  convs.push_back({"output paddings that differ",
                   {.in_channels = 2,
                    .input = {3, 4, 5},
                    .kernel = {2, 3, 3},
                    .stride = {3, 2, 4},
                    .padding = {0, 1, 2},
                    .output_padding = {2, 1, 3}}});
  convs.push_back({"output padding beyond what the input reaches",
                   {.input = {1, 3, 3}, .stride = {1, 3, 2}, .output_padding = {0, 2, 1}}});
  for (const auto& [name, arguments] : convs) {
    SCOPED_TRACE(name);
    expect_same(conv_transpose_, host_conv_transpose, arguments, random_);
  }
}

TEST_F(ReferenceConvTranspose, AgreesOnRandomShapesOfEveryDimension) {
  for (int i = 0; i < 102; ++i) {
    const ConvArguments arguments = random_conv_transpose(random_, 1 + i % 3);
    SCOPED_TRACE(testing::Message() << arguments);
    expect_same(conv_transpose_, host_conv_transpose, arguments, random_);
  }
}

TEST_F(ReferenceConvTranspose, GivesOneValueWhereThePaddingCutsAllOthers) {
  const ConvArguments arguments{
      .in_channels = 3, .input = {1, 2, 3}, .kernel = {3, 2, 5}, .padding = {1, 1, 3}};
  EXPECT_EQ(conv_transpose_.extents(arguments), (Extents{1, 1, 1}));
  expect_same(conv_transpose_, host_conv_transpose, arguments, random_);
}

// 70,000 planes are more than the 65,535 rows of a grid.
TEST_F(ReferenceConvTranspose, TakesMorePlanesThanAGridHasRows) {
  expect_same(conv_transpose_, host_conv_transpose, {.batch = 35000, .out_channels = 2}, random_);
}

// Of 1 + 2^-30 a float keeps only the 1, and of (1 + 2^-12)^2 not the 2^-24.
TEST_F(ReferenceConvTranspose, MultipliesAndSumsInDouble) {
  const float small = 0x1p-30f;
  const ConvArguments over_channels{.in_channels = 3};
  EXPECT_THAT(conv_transpose_.run(over_channels, {1, small, -1}, {1, 1, 1}, 1), ElementsAre(small));
  EXPECT_THAT(conv_transpose_.run(over_channels, {1 + 0x1p-12f, -1, 0}, {1 + 0x1p-12f, 1 + 0x1p-11f, 0}, 1),
              ElementsAre(0x1p-24f));
  const ConvArguments over_taps{.input = {1, 1, 3}, .kernel = {1, 1, 3}, .padding = {0, 0, 2}};
  EXPECT_THAT(conv_transpose_.run(over_taps, {1, small, -1}, {1, 1, 1}, 1), ElementsAre(small));
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Its definition: <conv(x), y> = <x, conv_transpose(y)> for all x and y, with the same weights.
TEST_F(ReferenceConvTranspose, IsTheAdjointOfTheConvolution) {
  const ConvOperator conv(library_, "conv");
  for (int i = 0; i < 30; ++i) {
    const ConvArguments forward = random_conv(random_, 1 + i % 3);
    SCOPED_TRACE(testing::Message() << forward);
    ConvArguments back = forward;
    std::swap(back.in_channels, back.out_channels);
    back.input = conv.extents(forward);
    for (int axis = 0; axis < 3; ++axis) {
      // The rows that the convolution's stride leaves out at the end.
      back.output_padding[axis] = (forward.input[axis] + 2 * forward.padding[axis] -
                                   forward.dilation[axis] * (forward.kernel[axis] - 1) - 1) %
                                  forward.stride[axis];
    }
    ASSERT_EQ(conv_transpose_.extents(back), forward.input);
    const auto x = whole_numbers(input_elements(forward), random_);
    const auto y = whole_numbers(input_elements(back), random_);
    const auto weight = whole_numbers(weight_elements(forward), random_);
    EXPECT_EQ(dot(conv.run(forward, x, weight, y.size()), y),
              dot(x, conv_transpose_.run(back, y, weight, x.size())));
  }
}

}  // namespace kgrade::test::conv_test
