// Kernel launches: kernel<<<grid, block, shared, stream>>>(arguments).
//
// The kernel expression and the configuration give way to a call that returns a launcher; the argument list
// stays as it is and calls it:
//
//   scale<T><<<blocks, 256>>>(data, n);
//   kgrade_emulated::launcher<KGRADE_EMULATED_BLOCK_MODE>(kgrade_emulated::Configuration(blocks, 256),
//       "scale<T>", [&](auto kgrade_tag) -> ... {...}, [&](auto&... kgrade_p) -> ... {...})(data, n);
//
// The first lambda finds the kernel's parameter types where they can be found without the arguments, so that
// arguments convert as in a call; the second calls the kernel (launch.h of the emulated device's headers has
// the other half).
#pragma once

#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/edits.h"

namespace kgrade::emulated {

struct Launch {
  std::size_t kernel = 0;  // tokens: [kernel, open) is the kernel expression
  std::size_t open = 0;    // the first '<' of <<<
  std::size_t close = 0;   // the first '>' of >>>
};

// Every launch in a run of tokens, in order. A '<<<' without '>>>' or without a kernel before it is none.
std::vector<Launch> find_launches(Tokens tokens);

void rewrite_launches(Tokens tokens, Edits& edits);

// The body of a macro that begins with a configuration, as in `#define CONFIGURATION(g, b) <<<g, b>>>`, which
// the kernel precedes and its arguments follow where the macro is used. Does nothing for any other body.
void rewrite_kernelless_launch(Tokens macro_body, Edits& edits);

}  // namespace kgrade::emulated
