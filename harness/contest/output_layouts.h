// How the elements of some outputs refer to another tensor. The indices in a tied output (TiedValues) point
// to elements of an input, and the codes in a quantised output (Quantised) stand for elements of an input. A
// comparison needs to know which element of the output belongs to which element of the input.
#pragma once

#include "device/contents.h"
#include "problem/case.h"

namespace kgrade {

// How the indices in a tied output lie over the tensor that they point into. The result has no buffer of
// values yet.
TiedValues layout_of_ties(const Case& bound, const Tensor& indices);

// How the codes in an output lie over the values that they stand for. The result has no buffers yet.
Quantised layout_of_codes(const Case& bound, const Tensor& codes);

}  // namespace kgrade
