// Rewrites conditions on __CUDA_ARCH__. nvcc compiles a file twice: for the host without this macro, and for
// the device with it. The emulated device compiles a file once, without the macro. A condition that contains
// only device code (in the body of a device function, or around device functions) is rewritten as if the
// macro were 900, the architecture that nvcc is given.
#pragma once

#include <string>
#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/edits.h"
#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

// `code` holds the source's tokens outside of directives, `scopes` has one entry per token, and `unsupported`
// has the offsets of code that the emulated device cannot run. A condition with an #else keeps the host's
// view if it contains unsupported code, because the other branch can run.
void rewrite_architecture_conditions(const LexedSource& source, Tokens code, const std::vector<Scope>& scopes,
                                     const std::vector<std::size_t>& unsupported, Edits& edits);

}  // namespace kgrade::emulated
