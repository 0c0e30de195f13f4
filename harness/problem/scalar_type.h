// The types that a parameter may have, with the values that a case may give to scalars of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace kgrade {

// The name of the element type under test in problem files.
inline constexpr std::string_view element_type_name = "[VAR]";

// Integers up to here are exact in float32.
inline constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 24;
constexpr bool is_exact_in_float(std::int64_t value) {
  return value >= -largest_exact_integer && value <= largest_exact_integer;
}

struct ScalarType {
  enum class Kind { integer, real };
  std::string_view name;  // as in C++
  Kind kind = Kind::integer;
  // The range of an integer type. Values are signed 64-bit integers, so the range of uint64_t and size_t ends
  // at 2^63 - 1.
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::optional<Dtype> element = {};  // the type of elements of a tensor; unset: no tensor has it
  bool is_of_scalars = true;          // false: only tensors have this type

  bool is_integer() const { return kind == Kind::integer; }
  // Whether an integer type has this value.
  bool holds(std::int64_t value) const { return value >= low && value <= high; }
};

// The C++ name of a type that is spelled as in PyTorch: float16, float8, ... Other names are returned
// unchanged.
std::string_view cuda_name(std::string_view name);

// Null if parameters cannot have the type. [VAR] is a real type.
const ScalarType* find_scalar_type(std::string_view name);

// All names, [VAR] first.
std::vector<std::string> scalar_type_names();

// Names of the types with the same representation in memory, `name` first. For example, long and long long
// are two types in C++.
std::vector<std::string> same_types(std::string_view name);

}  // namespace kgrade
