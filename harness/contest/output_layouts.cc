#include "contest/output_layouts.h"

#include <optional>

namespace kgrade {

TiedValues layout_of_ties(const Case& bound, const Tensor& indices) {
  const Tensor& values = bound.tensors[indices.tied->tensor];
  const std::optional<std::size_t> axis = indices.tied->axis;
  std::uint64_t inner = 1;
  for (std::size_t i = axis ? *axis + 1 : values.shape.size(); i < values.shape.size(); ++i)
    inner *= static_cast<std::uint64_t>(values.shape[i]);
  const auto elements = static_cast<std::uint64_t>(values.elements);
  const std::uint64_t extent = axis ? static_cast<std::uint64_t>(values.shape[*axis]) : elements;
  const std::uint64_t chosen = static_cast<std::uint64_t>(indices.elements) / (elements / extent);
  return {nullptr, bound.dtype_of(values), extent, inner, chosen, indices.tied->are_distinct};
}

Quantised layout_of_codes(const Case& bound, const Tensor& codes) {
  const QuantisedAs& as = *codes.quantised;
  const Tensor& values = bound.tensors[as.values];
  Quantised layout;
  layout.dtype = bound.dtype_of(values);
  layout.code = as.code;
  layout.scale_code = as.scale_code;
  layout.block = static_cast<std::uint32_t>(as.block);
  layout.is_swizzled = as.is_swizzled;
  layout.columns = static_cast<std::uint64_t>(values.shape.back());
  layout.divisor = as.divisor;
  return layout;
}

}  // namespace kgrade
