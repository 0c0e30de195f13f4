// What CUDA source may hold and the emulated device cannot run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/launches.h"

namespace kgrade::emulated {

// Every such error offers the same way out.
inline constexpr const char* unsupported_remedy = "run it on a GPU: --device cuda";

// The text between an error that the rewritten source raises while it compiles and its subject; see marker().
inline constexpr const char* unsupported_mark = "not on the emulated device: ";

struct Unsupported {
  std::size_t token = 0;  // where it begins
  std::string what;       // "inline PTX (asm)"
};

// Language and API: inline PTX, textures, graphs, cooperative grids, driver modules, ...
std::vector<Unsupported> find_unsupported_names(Tokens tokens);

// Launches in device functions (dynamic parallelism).
std::vector<Unsupported> find_device_launches(Tokens tokens, const std::vector<Launch>& launches,
                                              const std::vector<Scope>& scopes);

// What a CUDA library header is called in messages ("CUB (<cub/cub.cuh>)"); nothing when `include` is no
// header of a CUDA library.
std::optional<std::string> unsupported_header(const std::string& include);

// An operator that makes the compiler report `what` where it is compiled, and nothing where #if leaves it out
// or where it stands in an unused macro.
std::string marker(const std::string& what);

// Whether a text behind the mark is one that marker(), an #error in place of an #include or the device's own
// headers have there. The words of a candidate's #error are none.
bool is_marker_text(const std::string& what);

Error unsupported_error(const std::string& what, const Location& location);

}  // namespace kgrade::emulated
