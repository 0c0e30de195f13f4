// reference/ops/conv.cuh against the host. Results compare by equality: see whole_numbers().
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <random>
#include <utility>

#include "tests/reference/host_convolution.h"
#include "tests/reference/operator_library.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test {

std::ostream& operator<<(std::ostream& stream, const ConvArguments& a) {
  const auto print = [&](const char* name, const Extents& e) {
    stream << ", " << name << " (" << e[0] << ", " << e[1] << ", " << e[2] << ")";
  };
  stream << "batch " << a.batch << ", channels " << a.in_channels << " to " << a.out_channels << " in "
         << a.groups << " groups";
  print("input", a.input);
  print("kernel", a.kernel);
  print("stride", a.stride);
  print("padding", a.padding);
  print("output padding", a.output_padding);
  print("dilation", a.dilation);
  return stream;
}

}  // namespace kgrade::test

namespace kgrade::test::conv_test {

using testing::ElementsAre;

std::size_t draw(std::mt19937& random, std::size_t least, std::size_t most) {
  return least + random() % (most - least + 1);
}

std::size_t reach_of_kernel(const ConvArguments& a, int axis) {
  return (a.kernel[axis] - 1) * a.dilation[axis] + 1;
}

ConvArguments random_shape(std::mt19937& random, int dimensions) {
  ConvArguments a;
  a.batch = draw(random, 1, 3);
  a.groups = draw(random, 1, 3);
  a.in_channels = a.groups * draw(random, 1, 3);
  a.out_channels = a.groups * draw(random, 1, 3);
  for (int axis = 3 - dimensions; axis < 3; ++axis) {
    a.kernel[axis] = draw(random, 1, 4);
    a.stride[axis] = draw(random, 1, 3);
    a.padding[axis] = draw(random, 0, 3);
    a.dilation[axis] = draw(random, 1, 3);
  }
  return a;
}

struct NamedConv {
  std::string name;
  ConvArguments arguments;
};

// Shapes that each test one thing, valid for both convolutions.
std::vector<NamedConv> chosen_convs() {
  return {
      {"one dimension",
       {.batch = 2, .in_channels = 3, .out_channels = 4, .input = {1, 1, 17}, .kernel = {1, 1, 5}}},
      {"two dimensions",
       {.batch = 2, .in_channels = 3, .out_channels = 2, .input = {1, 9, 12}, .kernel = {1, 3, 5}}},
      {"three dimensions",
       {.batch = 2, .in_channels = 2, .out_channels = 3, .input = {5, 6, 7}, .kernel = {2, 4, 3}}},
      {"strides that differ",
       {.in_channels = 2, .input = {7, 8, 9}, .kernel = {2, 3, 3}, .stride = {3, 1, 2}}},
      {"paddings that differ",
       {.in_channels = 2, .input = {5, 6, 7}, .kernel = {3, 5, 4}, .padding = {0, 2, 1}}},
      {"dilations that differ",
       {.in_channels = 2, .input = {6, 8, 10}, .kernel = {3, 2, 3}, .dilation = {1, 3, 2}}},
      {"strides beyond the kernel", {.input = {1, 10, 11}, .kernel = {1, 2, 1}, .stride = {1, 3, 4}}},
      {"padding as wide as the kernel", {.input = {1, 6, 6}, .kernel = {1, 2, 3}, .padding = {0, 2, 3}}},
      {"groups",
       {.batch = 2,
        .in_channels = 6,
        .out_channels = 9,
        .groups = 3,
        .input = {1, 5, 6},
        .kernel = {1, 2, 3}}},
      {"depthwise",
       {.batch = 2,
        .in_channels = 4,
        .out_channels = 4,
        .groups = 4,
        .input = {1, 7, 7},
        .kernel = {1, 3, 2}}},
      {"kernel of one", {.batch = 3, .in_channels = 5, .out_channels = 4, .input = {2, 3, 4}}},
      {"one value", {}},
      {"more positions than a block has threads",
       {.input = {1, 23, 29}, .kernel = {1, 3, 3}, .padding = {0, 1, 1}}},
  };
}

// A legal shape with groups, strides, paddings and dilations that differ from axis to axis. Axes that the
// `dimensions` (1 to 3) do not need stay as they are in ConvArguments. The same draws on every machine.
ConvArguments random_conv(std::mt19937& random, int dimensions) {
  ConvArguments a = random_shape(random, dimensions);
  for (int axis = 3 - dimensions; axis < 3; ++axis) {
    const std::size_t reach = reach_of_kernel(a, axis), padding = 2 * a.padding[axis];
    a.input[axis] = (reach > padding ? reach - padding : 1) + draw(random, 0, 4);
  }
  return a;
}

ConvArguments random_conv_transpose(std::mt19937& random, int dimensions) {
  ConvArguments a = random_shape(random, dimensions);
  for (int axis = 3 - dimensions; axis < 3; ++axis) {
    a.output_padding[axis] = draw(random, 0, std::max(a.stride[axis], a.dilation[axis]) - 1);
    a.input[axis] = draw(random, 1, 4);
    const std::size_t cut = 2 * a.padding[axis];
    while ((a.input[axis] - 1) * a.stride[axis] + reach_of_kernel(a, axis) + a.output_padding[axis] <= cut) {
      ++a.input[axis];
    }
  }
  return a;
}

// Whole numbers from -127 to 127. Sums of up to 1040 products of them stay below 2^24, so a float and a
// double hold each partial sum exactly: results compare by equality, whatever the order of the sums.
std::vector<float> whole_numbers(std::size_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(draw(random, 0, 254)) - 127;
  return values;
}

// One of the two convolutions of conv_operators.cu: its extents, and the values it gives.
class ConvOperator {
 public:
  ConvOperator(const LoadedLibrary& library, const std::string& name)
      : extents_(library.function<ExtentsFunction>((name + "_extents").c_str())),
        function_(library.function<Function>(name.c_str())) {}

  Extents extents(const ConvArguments& arguments) const;
  // Fails the test unless the output has `count` elements and the call ends well and keeps within it.
  std::vector<float> run(const ConvArguments& arguments, const std::vector<float>& input,
                         const std::vector<float>& weight, std::size_t count) const;

 private:
  using ExtentsFunction = void(const ConvArguments*, int*);
  using Function = int(const ConvArguments*, const float*, const float*, float*);

  ExtentsFunction* extents_;
  Function* function_;
};

Extents ConvOperator::extents(const ConvArguments& arguments) const {
  int extents[3] = {};
  extents_(&arguments, extents);
  return {static_cast<std::size_t>(extents[0]), static_cast<std::size_t>(extents[1]),
          static_cast<std::size_t>(extents[2])};
}

std::vector<float> ConvOperator::run(const ConvArguments& arguments, const std::vector<float>& input,
                                     const std::vector<float>& weight, std::size_t count) const {
  const std::size_t wanted = arguments.batch * arguments.out_channels * volume(extents(arguments));
  if (wanted != count) {
    ADD_FAILURE() << "an output of " << wanted << " elements instead of " << count;
    return {};
  }
  OutputBuffer<float> output(count);
  EXPECT_EQ(function_(&arguments, input.data(), weight.data(), output.data()), 0);
  EXPECT_TRUE(output.guards_intact());
  return output.values();
}

using HostConv = HostOutput(const ConvArguments&, const std::vector<float>&, const std::vector<float>&);

// Fails the test if the operator and the host differ in extents or in any value.
void expect_same(const ConvOperator& device, HostConv* host, const ConvArguments& arguments,
                 std::mt19937& random) {
  ASSERT_LE(arguments.in_channels / arguments.groups * volume(arguments.kernel), 1040u)
      << "sums are no longer exact";
  const auto input = whole_numbers(input_elements(arguments), random);
  const auto weight = whole_numbers(weight_elements(arguments), random);
  const HostOutput expected = host(arguments, input, weight);
  ASSERT_EQ(device.extents(arguments), expected.extents);
  EXPECT_TRUE(matches(device.run(arguments, input, weight, expected.values.size()), expected.values));
}

class ReferenceConv : public testing::Test {
 protected:
  const LoadedLibrary& library_ = operator_library("conv_operators.cu");
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
  const LoadedLibrary& library_ = operator_library("conv_operators.cu");
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
