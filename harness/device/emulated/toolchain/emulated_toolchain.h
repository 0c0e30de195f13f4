// Builds contestants for the emulated device: rewrites the source to C++ and compiles it with the host's own
// compiler. The library resolves the functions of the device from the program that loads it
// (kgrade_emulated_runtime, linked whole and with its symbols exported).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/confined_compiler.h"
#include "compile/toolchain.h"
#include "device/emulated/rewriter/rewrite.h"
#include "device/emulated/toolchain/host_compiler.h"

namespace kgrade {

class EmulatedToolchain : public Toolchain {
 public:
  // `device_headers` is the folder of the emulated device's cuda_runtime.h. With a sandbox, the compiler and
  // the rewriter read only the paths that a request names. `rewriter` is the path of kgrade-rewrite. It is
  // empty for trusted sources, which this process rewrites itself. `precompiled` is the folder of
  // precompile_device_headers(). If it is missing or was made by another compiler, builds only take longer.
  EmulatedToolchain(HostCompiler compiler, std::filesystem::path device_headers,
                    std::shared_ptr<const Sandbox> sandbox = nullptr, std::filesystem::path rewriter = {},
                    std::filesystem::path precompiled = {});

  std::string describe() const override;
  std::string identity() const override;
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override;
  Result<BuildOutcome> build_extension(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                       const BuildRequest& request) const override;

  bool keeps_checked_builds() const override { return true; }

  // Like build(), for a source that offers symbols of its own instead of a problem's entry point.
  Result<BuildOutcome> build_library(const BuildRequest& request) const;

 private:
  // `is_object`: makes an object file instead of the library, with the ending ".o".
  Result<BuildOutcome> build_unit(const BuildRequest& request, const Problem* problem,
                                  bool is_object = false) const;
  Result<BuildOutcome> build_units_apart(const ExtensionRequest& extension,
                                         const std::vector<std::filesystem::path>& units,
                                         const BuildRequest& whole) const;
  // The outer Error is the machine's fault, the inner Error the source's.
  Result<Result<emulated::RewrittenTree>> rewrite(const BuildRequest& request,
                                                  const emulated::RewriteRequest& what,
                                                  const ProcessLimits& limits) const;
  std::vector<std::string> definitions_and_folders(const BuildRequest& request) const;

  HostCompiler compiler_;
  std::filesystem::path device_headers_;  // absolute
  std::filesystem::path rewriter_;
  std::filesystem::path precompiled_;  // absolute; empty if it has none for this compiler
  ConfinedCompiler confined_;
};

// Precompiles cuda_runtime.h of `device_headers` for the flags of each kind of build. `folder` gets a header
// of that name, and beside it a folder "cuda_runtime.h.gch", where GCC finds the precompiled form that fits a
// build. This saves a quarter of a second in each build. Does nothing for clang, which looks for other files.
// Returns the compiler's complaints, or an empty text if there are none.
std::string precompile_device_headers(const HostCompiler& compiler,
                                      const std::filesystem::path& device_headers,
                                      const std::filesystem::path& folder);

}  // namespace kgrade
