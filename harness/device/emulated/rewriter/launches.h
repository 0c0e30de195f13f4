// Rewrites kernel launches: kernel<<<grid, block, shared, stream>>>(arguments).
//
// The kernel expression and the configuration are replaced by a call that returns a launcher. The argument
// list stays as it is and calls the launcher:
//
//   scale<T><<<blocks, 256>>>(data, n);
//   kgrade_emulated::launcher<KGRADE_EMULATED_BLOCK_MODE>(kgrade_emulated::Configuration(blocks, 256),
//       "scale<T>", [&](auto kgrade_tag) -> ... {...}, [&](auto&... kgrade_p) -> ... {...})(data, n);
//
// The first lambda returns the kernel's parameter types if they do not depend on the arguments, so that
// arguments convert as in a call. The second lambda calls the kernel. launch.h of the emulated device's
// headers defines launcher().
#pragma once

#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

struct Launch {
  std::size_t kernel = 0;  // tokens [kernel, open) are the kernel expression
  std::size_t open = 0;    // the first '<' of <<<
  std::size_t close = 0;   // the first '>' of >>>
};

// Every launch in a run of tokens, in order. A '<<<' without '>>>' or without a kernel before it is not a
// launch.
std::vector<Launch> find_launches(Tokens tokens);

void rewrite_launches(Tokens tokens, Edits& edits);

// Rewrites the body of a macro that begins with a configuration, as in `#define CONFIGURATION(g, b) <<<g,
// b>>>`. The kernel and the arguments stand around each use of the macro. Does nothing for any other body.
void rewrite_kernelless_launch(Tokens macro_body, Edits& edits);

}  // namespace kgrade::emulated
