// The numbers of a case, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "problem/problem.h"

namespace kgrade {

// The scalar parameters of a case by name, in the order of the signature. Of the two maps, the parameters of
// the problem count; a `bool` is true or false.
nlohmann::ordered_json scalar_values(const Problem& problem, const Bindings& integers, const Reals& reals);

}  // namespace kgrade
