// Lambdas that name a __shared__ variable. CUDA's is static and needs no capture; what the rewriter makes of
// it (shared_variables.h) is a local reference or pointer, which a lambda must capture by reference to mean
// the same.
#pragma once

#include <vector>

#include "device/emulated/rewriter/shared_variables.h"

namespace kgrade::emulated {

// Adds captures to the lambdas that follow a declaration in its block.
void capture_shared_variables(Tokens tokens, const std::vector<SharedDeclaration>& declarations,
                              const std::vector<Scope>& scopes, Edits& edits);

}  // namespace kgrade::emulated
