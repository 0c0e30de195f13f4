#include "base/dtype.h"

#include <array>

namespace kgrade {
namespace {

struct Names {
  std::string_view name;
  std::string_view cuda_type;
  std::string_view cuda_header;
};

constexpr std::array<Names, 15> names = {{{"float32", "float", ""},
                                          {"float16", "__half", "cuda_fp16.h"},
                                          {"bfloat16", "__nv_bfloat16", "cuda_bf16.h"},
                                          {"float64", "double", ""},
                                          {"float8_e4m3fn", "__nv_fp8_e4m3", "cuda_fp8.h"},
                                          {"float8_e5m2", "__nv_fp8_e5m2", "cuda_fp8.h"},
                                          {"int8", "int8_t", ""},
                                          {"int16", "int16_t", ""},
                                          {"int32", "int", ""},
                                          {"int64", "int64_t", ""},
                                          {"uint8", "uint8_t", ""},
                                          {"uint16", "uint16_t", ""},
                                          {"uint32", "uint32_t", ""},
                                          {"uint64", "uint64_t", ""},
                                          {"bool", "bool", ""}}};

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

std::optional<Dtype> integer_dtype_from(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (is_integer(dtype) && names[i].name == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace kgrade
