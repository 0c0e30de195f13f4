#include "authoring/layers.h"

#include <fmt/format.h>

#include <cctype>

#include "authoring/parameter_meaning.h"

namespace kgrade::authoring {
namespace {

Layers layers_in(std::string_view text) {
  std::string small;
  for (const char c : text) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](const std::string& word) { return small.find(word) != std::string::npos; };
  Layers layers;
  layers.convolution = has("conv");
  layers.transposed = layers.convolution && (has("transpos") || has("deconv"));
  layers.pooling = has("pool") && !has("global");
  for (const std::size_t rank : {1U, 2U, 3U}) {
    if (layers.rank == 0 && (has(fmt::format("{}d", rank)) || has(fmt::format("{}-d", rank))))
      layers.rank = rank;
  }
  return layers;
}

// "a" or "(a + b)": as an operand of a product.
std::string operand(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

}  // namespace

Layers layers_of(std::string_view title, std::string_view text) {
  const Layers by_title = layers_in(title);
  return by_title.convolution || by_title.pooling ? by_title : layers_in(text);
}

AxisParameters axis_parameters(const std::vector<std::string>& parameters, std::size_t index,
                               std::size_t rank, bool of_pool) {
  // The last axis is the width, the one before it the height; one axis alone may be called by any letter.
  const char axis = index < rank && rank - index <= 3 ? "whd"[rank - index - 1] : '\0';
  AxisParameters found;
  for (const std::string& name : parameters) {
    const ParameterMeaning meaning = meaning_of(name);
    if (meaning.of_pool != of_pool || (meaning.axis != 0 && meaning.axis != axis && rank > 1)) continue;
    std::string* const target = meaning.role == ParameterRole::kernel           ? &found.kernel
                                : meaning.role == ParameterRole::stride         ? &found.stride
                                : meaning.role == ParameterRole::padding        ? &found.padding
                                : meaning.role == ParameterRole::output_padding ? &found.output_padding
                                : meaning.role == ParameterRole::dilation       ? &found.dilation
                                                                                : nullptr;
    if (target != nullptr && (target->empty() || meaning.axis == axis)) *target = name;
  }
  return found;
}

std::optional<std::string> convolution_extent(const std::string& input, const AxisParameters& axis) {
  if (axis.kernel.empty()) return std::nullopt;
  std::string text = operand(input);
  if (!axis.padding.empty()) text += " + 2 * " + axis.padding;
  text += axis.dilation.empty() ? " - " + axis.kernel
                                : fmt::format(" - {} * ({} - 1) - 1", axis.dilation, axis.kernel);
  return axis.stride.empty() ? text + " + 1" : fmt::format("({}) / {} + 1", text, axis.stride);
}

std::optional<std::string> transposed_extent(const std::string& input, const AxisParameters& axis) {
  if (axis.kernel.empty()) return std::nullopt;
  std::string text = fmt::format("({} - 1)", input);
  if (!axis.stride.empty()) text += " * " + axis.stride;
  if (!axis.padding.empty()) text += " - 2 * " + axis.padding;
  text += axis.dilation.empty() ? fmt::format(" + ({} - 1)", axis.kernel)
                                : fmt::format(" + {} * ({} - 1)", axis.dilation, axis.kernel);
  if (!axis.output_padding.empty()) text += " + " + axis.output_padding;
  return text + " + 1";
}

std::string pooling_extent(const std::string& input, const AxisParameters& axis, bool& guessed) {
  guessed = axis.kernel.empty();
  if (guessed) return operand(input) + " / 2";
  AxisParameters complete = axis;
  if (complete.stride.empty()) complete.stride = axis.kernel;
  return *convolution_extent(input, complete);
}

}  // namespace kgrade::authoring
