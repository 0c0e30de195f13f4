#include "contest/scalar_slots.h"

#include <cstring>

#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// The 64-bit slot of a scalar (compile/binding.h). Scalars of the element type are stored as elements are.
std::uint64_t scalar_slot(const Parameter& parameter, const Case& bound, Dtype stored_as) {
  std::uint64_t slot = 0;
  if (const auto integer = bound.integers.find(parameter.name); integer != bound.integers.end()) {
    return static_cast<std::uint64_t>(integer->second);
  }
  const auto found = bound.reals.find(parameter.name);
  const double real = found != bound.reals.end() ? found->second : 0;
  if (parameter.type == "double") {
    std::memcpy(&slot, &real, sizeof real);
    return slot;
  }
  const auto single = static_cast<float>(real);
  auto* const bytes = reinterpret_cast<unsigned char*>(&slot);
  if (parameter.type == element_type_name) {
    store_element(stored_as, bytes, 0, rounded_to(bound.dtype, single));
  } else {
    store_element(Dtype::float32, bytes, 0, single);
  }
  return slot;
}

}  // namespace

CallSlots slots_of_scalars(const Problem& problem, const Case& bound, Dtype stored_as) {
  CallSlots call;
  for (const Parameter& parameter : problem.arguments())
    call.slots.push_back({false, parameter.is_tensor() ? 0 : scalar_slot(parameter, bound, stored_as)});
  return call;
}

}  // namespace kgrade
