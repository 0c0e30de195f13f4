// Mistakes in CUDA's own constructs, which the emulated device's headers would have compilers tell in terms
// of templates that no user knows.
#pragma once

#include <optional>
#include <string>

namespace kgrade {

// Of a log whose first error is one of them: "mine.cu:5: error: argument 1 of the launch is const float*, the
// kernel's parameter is float*". Nothing when the first error is another one.
std::optional<std::string> error_in_cudas_words(const std::string& log);

}  // namespace kgrade
