// Finds CUDA code that the emulated device cannot run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/launches.h"

namespace kgrade::emulated {

// The remedy of every error about unsupported code.
inline constexpr const char* unsupported_remedy = "run it on a GPU: --device cuda";

// The text that marks compiler errors about unsupported code. What is unsupported follows it. See marker().
inline constexpr const char* unsupported_mark = "not on the emulated device: ";

struct Unsupported {
  std::size_t token = 0;  // where it begins
  std::string what;       // "inline PTX (asm)"
};

// Unsupported parts of language and API: inline PTX, textures, graphs, cooperative grids, driver modules, ...
std::vector<Unsupported> find_unsupported_names(Tokens tokens);

// Launches in device functions (dynamic parallelism).
std::vector<Unsupported> find_device_launches(Tokens tokens, const std::vector<Launch>& launches,
                                              const std::vector<Scope>& scopes);

// The name of a CUDA library header in messages ("CUB (<cub/cub.cuh>)"); nothing if `include` is not a header
// of a CUDA library.
std::optional<std::string> unsupported_header(const std::string& include);

// A _Pragma that makes the compiler report `what`, unless the pragma is left out by an #if or is in an unused
// macro.
std::string marker(const std::string& what);

// Whether the text behind a mark comes from marker(), from an #error in place of an #include, or from the
// emulated device's own headers. False for the text of a candidate's own #error.
bool is_marker_text(const std::string& what);

Error unsupported_error(const std::string& what, const Location& location);

}  // namespace kgrade::emulated
