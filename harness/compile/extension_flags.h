// Which of an extension's flags reach a compiler. They come from a candidate, and compilers can be told to
// run programs (-wrapper, -fplugin=, -ccbin) or to write elsewhere (-o, -odir), and nvcc hands its commands
// to a shell: so only flags that are known to be plain are handed on. What optimises, warns, defines, names
// headers or libraries is; everything else is left out, which is no error.
#pragma once

#include <string>
#include <vector>

namespace kgrade {

struct PlainFlags {
  std::vector<std::string> flags;
  std::vector<std::string> left_out;  // as they came
};

// Of g++ when it compiles.
PlainFlags plain_host_flags(const std::vector<std::string>& flags);
// Of nvcc. Its GPU is chosen by kgrade, as PyTorch chooses it by itself.
PlainFlags plain_nvcc_flags(const std::vector<std::string>& flags);
// Of g++ when it links: libraries and where they are.
PlainFlags plain_linker_flags(const std::vector<std::string>& flags);

// Whether `text` means itself to a shell, inside of double quotes too.
bool is_shell_proof(const std::string& text);

}  // namespace kgrade
