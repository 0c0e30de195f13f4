// Selects the flags of an extension that reach a compiler. They come from a candidate, and flags can make
// compilers run programs (-wrapper, -fplugin=, -ccbin) or write elsewhere (-o, -odir). nvcc also passes its
// commands to a shell. So only flags that are known to be harmless are passed on: flags that optimise, warn,
// define, or name headers or libraries. Other flags are left out without an error.
#pragma once

#include <string>
#include <vector>

namespace kgrade {

struct PlainFlags {
  std::vector<std::string> flags;
  std::vector<std::string> left_out;  // as the candidate wrote them
};

// The flags for g++ when it compiles.
PlainFlags plain_host_flags(const std::vector<std::string>& flags);
// The flags for nvcc. Flags that choose the GPU's architecture are left out, because kgrade chooses it, as
// PyTorch does.
PlainFlags plain_nvcc_flags(const std::vector<std::string>& flags);
// The flags for g++ when it links: libraries and their folders.
PlainFlags plain_linker_flags(const std::vector<std::string>& flags);

// Whether a shell takes `text` literally, also inside of double quotes.
bool is_shell_proof(const std::string& text);

}  // namespace kgrade
