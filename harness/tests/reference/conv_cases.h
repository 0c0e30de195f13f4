// The shapes and values with which both convolutions are tested.
#pragma once

#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "tests/reference/host_convolution.h"
#include "tests/reference/operator_library.h"

namespace kgrade::test {

struct NamedConv {
  std::string name;
  ConvArguments arguments;
};

// Shapes that each test one thing, valid for both convolutions.
std::vector<NamedConv> chosen_convs();

// A legal shape with groups, strides, paddings and dilations that differ from axis to axis. Axes that the
// `dimensions` (1 to 3) do not need stay as they are in ConvArguments. The same draws on every machine.
ConvArguments random_conv(std::mt19937& random, int dimensions);
ConvArguments random_conv_transpose(std::mt19937& random, int dimensions);

std::ostream& operator<<(std::ostream& stream, const ConvArguments& arguments);

// Whole numbers from -127 to 127. Sums of up to 1040 products of them stay below 2^24, so a float and a
// double hold each partial sum exactly: results compare by equality, whatever the order of the sums.
std::vector<float> whole_numbers(std::size_t count, std::mt19937& random);

// One of the two convolutions of conv_operators.cu: its extents, and the values it gives.
class ConvOperator {
 public:
  ConvOperator(const OperatorLibrary& library, const std::string& name)
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

using HostConv = HostOutput(const ConvArguments&, const std::vector<float>&, const std::vector<float>&);

// Fails the test if the operator and the host differ in extents or in any value.
void expect_same(const ConvOperator& device, HostConv* host, const ConvArguments& arguments,
                 std::mt19937& random);

}  // namespace kgrade::test
