// Translates compiler errors about launches and shared arrays into CUDA's terms. The emulated device's
// headers make compilers report these mistakes in terms of internal templates.
#pragma once

#include <optional>
#include <string>

namespace kgrade {

// The message for the first error of a log: "mine.cu:5: error: argument 1 of the launch is const float*, the
// kernel's parameter is float*". Nothing if the first error is not such a mistake.
std::optional<std::string> error_in_cudas_words(const std::string& log);

}  // namespace kgrade
