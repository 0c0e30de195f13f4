// Candidates in Python: what is looked at before anything of them runs, and the bundle that their worker loads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/role.h"
#include "base/subprocess.h"
#include "compile/extension.h"
#include "compile/python_interpreter.h"
#include "compile/toolchain.h"
#include "sandbox/sandbox.h"
#include "sandbox/zygote.h"

namespace kgrade {

// With what candidates in Python are examined and built.
struct PythonTools {
  PythonInterpreter interpreter;
  std::filesystem::path folder;  // harness/python: worker.py, inspect_candidate.py, include/
  std::shared_ptr<const Sandbox> sandbox;
  std::shared_ptr<Zygote> zygote = {};  // null: none is wanted, or there can be none (compile/python_zygote.h)

  ExtensionHeaders headers() const;

  // Runs a script of `folder` in the compilers' sandbox, where it reads what `request` names and writes into its
  // output folder. `environment` comes beside the locale and TMPDIR. An Error when it cannot be started.
  Result<ProcessOutcome> run(const std::vector<std::string>& flags, const std::string& script,
                             const std::vector<std::string>& arguments, const BuildRequest& request,
                             std::vector<std::string> environment, const ProcessLimits& limits) const;
};

// The tools of this machine. An Error, which is the machine's, as find_python_with_torch() has them. An interpreter
// is asked once in a process.
Result<PythonTools> find_python_tools(const std::filesystem::path& chosen, const std::filesystem::path& folder,
                                      std::shared_ptr<const Sandbox> sandbox);

// Examines `source` (text, as named in `request`) in a sandboxed interpreter, builds the extensions that can be
// read off it, and writes the bundle: BuildOutcome::library. A wrong syntax is a compile error, an entry point
// that does not fit the problem a signature mismatch.
Result<BuildOutcome> build_python(const Toolchain& toolchain, const PythonTools& tools, const Problem& problem,
                                  const std::string& source, const BuildRequest& request);

// Writes the bundle of a `Model` that states the problem, which nothing needs to examine: BuildOutcome::library. The
// oracle computes in float64.
Result<BuildOutcome> bundle_model(const Problem& problem, const std::string& source, const BuildRequest& request,
                                  Role role);

// Builds what a worker asks for, in a folder below the one of `request`.
Result<BuildOutcome> build_extension_of(const Toolchain& toolchain, const PythonTools& tools,
                                        const std::string& extension, const BuildRequest& request);

}  // namespace kgrade
