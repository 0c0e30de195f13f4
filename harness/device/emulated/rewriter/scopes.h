// What each code token stands in, as far as brackets and qualifiers tell.
#pragma once

#include <vector>

#include "device/emulated/rewriter/brackets.h"

namespace kgrade::emulated {

struct Scope {
  bool in_namespace = true;         // no brace around it but those of namespaces and extern "C"
  bool in_device_function = false;  // in the body of a __global__ or __device__ function or lambda
};

// One entry a token.
std::vector<Scope> find_scopes(Tokens tokens);

}  // namespace kgrade::emulated
