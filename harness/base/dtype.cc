#include "base/dtype.h"

#include <array>

namespace kgrade {
namespace {

struct Names {
  std::string_view name;
  std::string_view cuda_type;
  std::string_view cuda_header;
};

constexpr std::array<Names, 3> names = {{{"float32", "float", ""},
                                         {"float16", "__half", "cuda_fp16.h"},
                                         {"bfloat16", "__nv_bfloat16", "cuda_bf16.h"}}};

const Names& names_of(Dtype dtype) { return names[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::string_view to_string(Dtype dtype) { return names_of(dtype).name; }
std::string_view cuda_type(Dtype dtype) { return names_of(dtype).cuda_type; }
std::string_view cuda_header(Dtype dtype) { return names_of(dtype).cuda_header; }

std::optional<Dtype> dtype_from(std::string_view text) {
  for (const Dtype dtype : all_dtypes) {
    if (to_string(dtype) == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace kgrade
