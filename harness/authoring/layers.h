// What a problem's title and statement say about convolutions and poolings, and the extents and arithmetic
// that follow from it. The formulas are those of PyTorch's documentation of Conv2d, ConvTranspose2d and
// MaxPool2d, in integers: division rounds down.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

struct Layers {
  bool convolution = false;
  bool transposed = false;
  bool pooling = false;
  std::size_t rank = 0;  // 2 of "Max Pooling 2D"; 0 where nothing says so
};

// By the words of the title, or of the text when the title has none.
Layers layers_of(std::string_view title, std::string_view text);

// Of a layer's parameters those for one axis; empty for one that the problem does not have.
struct AxisParameters {
  std::string kernel;
  std::string stride;
  std::string padding;
  std::string output_padding;
  std::string dilation;
};

// `index` counts the axes from the first of `rank`; parameters without an axis in their names serve all.
AxisParameters axis_parameters(const std::vector<std::string>& parameters, std::size_t index,
                               std::size_t rank, bool of_pool);

// The extent of the output along one axis; nothing without a kernel.
std::optional<std::string> convolution_extent(const std::string& input, const AxisParameters& axis);
std::optional<std::string> transposed_extent(const std::string& input, const AxisParameters& axis);
// A pooling without parameters of its own halves, which is what most do: `guessed` tells so.
std::string pooling_extent(const std::string& input, const AxisParameters& axis, bool& guessed);

}  // namespace kgrade::authoring
