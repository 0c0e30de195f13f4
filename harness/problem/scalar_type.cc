#include "problem/scalar_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace kgrade {
namespace {

template <class T>
constexpr Dtype element_type() {
  if (std::is_same_v<T, bool>) return Dtype::boolean;
  constexpr std::array with_sign = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64};
  constexpr std::array without = {Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64};
  const auto place = static_cast<std::size_t>(std::countr_zero(sizeof(T)));
  return std::is_signed_v<T> ? with_sign[place] : without[place];
}

template <class T>
constexpr ScalarType signed_type(std::string_view name) {
  return {name, ScalarType::Kind::integer, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
          element_type<T>()};
}

template <class T>
constexpr ScalarType unsigned_type(std::string_view name) {
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  constexpr auto representable = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {name, ScalarType::Kind::integer, 0, static_cast<std::int64_t>(std::min(highest, representable)),
          element_type<T>()};
}

// All types that parameters may have. C++ has several names for one integer type.
const std::vector<ScalarType>& types() {
  static const std::vector<ScalarType> all = [] {
    std::vector<ScalarType> list = {
        {element_type_name, ScalarType::Kind::real, 0, 0},
        unsigned_type<std::size_t>("size_t"),
        signed_type<int>("int"),
        unsigned_type<unsigned int>("unsigned int"),
        unsigned_type<unsigned int>("unsigned"),
        signed_type<long>("long"),
        unsigned_type<unsigned long>("unsigned long"),
        signed_type<long long>("long long"),
        unsigned_type<unsigned long long>("unsigned long long"),
        signed_type<short>("short"),
        unsigned_type<unsigned short>("unsigned short"),
        signed_type<std::int8_t>("int8_t"),
        unsigned_type<std::uint8_t>("uint8_t"),
        signed_type<std::int16_t>("int16_t"),
        unsigned_type<std::uint16_t>("uint16_t"),
        signed_type<std::int32_t>("int32_t"),
        unsigned_type<std::uint32_t>("uint32_t"),
        signed_type<std::int64_t>("int64_t"),
        unsigned_type<std::uint64_t>("uint64_t"),
        unsigned_type<bool>("bool"),
    };
    for (const bool is_of_scalars : {true, false}) {
      for (const Dtype dtype : all_dtypes) {
        if (!is_integer(dtype) && is_narrow(dtype) != is_of_scalars)
          list.push_back({cuda_type(dtype), ScalarType::Kind::real, 0, 0, dtype, is_of_scalars});
      }
    }
    return list;
  }();
  return all;
}

struct ShortName {
  std::string_view name;
  Dtype dtype;
};

constexpr ShortName short_names[] = {{"half", Dtype::float16}, {"float8", Dtype::float8_e4m3fn}};

}  // namespace

std::string_view cuda_name(std::string_view name) {
  for (const ShortName& other : short_names) {
    if (other.name == name) return cuda_type(other.dtype);
  }
  for (const Dtype dtype : all_dtypes) {
    if (to_string(dtype) == name) return cuda_type(dtype);
  }
  return name;
}

const ScalarType* find_scalar_type(std::string_view name) {
  for (const ScalarType& type : types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::vector<std::string> scalar_type_names() {
  std::vector<std::string> names;
  for (const ScalarType& type : types()) names.emplace_back(type.name);
  for (const bool are_narrow : {true, false}) {
    for (const Dtype dtype : all_dtypes) {
      if (is_narrow(dtype) != are_narrow) continue;
      for (const ShortName& other : short_names) {
        if (other.dtype == dtype) names.emplace_back(other.name);
      }
      if (to_string(dtype) != cuda_type(dtype)) names.emplace_back(to_string(dtype));
    }
  }
  return names;
}

std::vector<std::string> same_types(std::string_view name) {
  std::vector<std::string> names = {std::string(name)};
  const ScalarType* const wanted = find_scalar_type(name);
  if (wanted == nullptr || !wanted->element || !wanted->is_integer()) return names;
  for (const ScalarType& type : types()) {
    if (type.element == wanted->element && type.name != name) names.emplace_back(type.name);
  }
  return names;
}

}  // namespace kgrade
