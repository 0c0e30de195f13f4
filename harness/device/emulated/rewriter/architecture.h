// Conditions on __CUDA_ARCH__. nvcc compiles a file twice, for the host without that macro and for the device
// with it; here is one compilation, in which it is not defined. Where a condition stands around device code
// alone (in the body of a device function, or around device functions), the device's view is the one that
// counts: there the condition is rewritten as if the macro were 900, the architecture nvcc is given.
#pragma once

#include <string>
#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/edits.h"
#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

// `code` are the source's tokens outside of directives, `scopes` has an entry for each of them, `unsupported`
// are offsets of what the emulated device cannot run. A condition with an #else keeps the host's view when
// such a thing stands in it: the other branch is the one that can run.
void rewrite_architecture_conditions(const LexedSource& source, Tokens code, const std::vector<Scope>& scopes,
                                     const std::vector<std::size_t>& unsupported, Edits& edits);

}  // namespace kgrade::emulated
