#include "problem/scalar_type.h"

#include <algorithm>
#include <array>

namespace kgrade {
namespace {

template <class T>
constexpr ScalarType signed_type(std::string_view name) {
  return {name, ScalarType::Kind::integer, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

template <class T>
constexpr ScalarType unsigned_type(std::string_view name) {
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  constexpr auto representable = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {name, ScalarType::Kind::integer, 0, static_cast<std::int64_t>(std::min(highest, representable))};
}

constexpr ScalarType real_type(std::string_view name) { return {name, ScalarType::Kind::real, 0, 0}; }

constexpr std::array types = {
    real_type(element_type_name),
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
    real_type("float"),
    real_type("double"),
};

}  // namespace

const ScalarType* find_scalar_type(std::string_view name) {
  for (const ScalarType& type : types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::vector<std::string> scalar_type_names() {
  std::vector<std::string> names;
  for (const ScalarType& type : types) names.emplace_back(type.name);
  return names;
}

}  // namespace kgrade
