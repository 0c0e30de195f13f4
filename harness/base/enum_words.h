// The words by which documents and texts name the values of enumerations.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kgrade {

// The words of the values of an enumeration, from 0 on. Each enumeration with words specialises it.
template <class E>
inline constexpr std::array<std::string_view, 0> enum_words{};

// C++17, because nvcc reads this file.
template <class E>
using IfWords = std::enable_if_t<!enum_words<E>.empty(), E>;

template <class E, class = IfWords<E>>
constexpr std::string_view to_string(E value) {
  return enum_words<E>[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<IfWords<E>> enum_from(std::string_view word) {
  for (std::size_t i = 0; i < enum_words<E>.size(); ++i) {
    if (enum_words<E>[i] == word) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace kgrade
