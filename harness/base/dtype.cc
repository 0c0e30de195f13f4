#include "base/dtype.h"

namespace kgrade {

std::optional<Dtype> dtype_from(std::string_view text) {
  for (const Dtype dtype : var_dtypes) {
    if (to_string(dtype) == text) return dtype;
  }
  return std::nullopt;
}

std::optional<Dtype> integer_dtype_from(std::string_view text) {
  for (const Dtype dtype : all_dtypes) {
    if (is_integer(dtype) && to_string(dtype) == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace kgrade
