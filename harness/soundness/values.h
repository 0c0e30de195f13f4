// Elements of tensors on the host.
#pragma once

#include <vector>

namespace kgrade {

// Of one tensor, in C order, as floats whatever type they are stored in: a float holds every value of the
// narrower ones.
using Values = std::vector<float>;

}  // namespace kgrade
