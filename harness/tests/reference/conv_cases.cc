#include "tests/reference/conv_cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reference/output_buffer.h"

namespace kgrade::test {
namespace {

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

}  // namespace

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

std::vector<float> whole_numbers(std::size_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(draw(random, 0, 254)) - 127;
  return values;
}

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

}  // namespace kgrade::test
