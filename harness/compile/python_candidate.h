// Builds candidates in Python: examines the source before any of it runs, and writes the bundle that the
// worker loads.
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

// The tools that examine and build candidates in Python.
struct PythonTools {
  PythonInterpreter interpreter;
  std::filesystem::path folder;  // harness/python: worker.py, inspect_candidate.py, include/
  std::shared_ptr<const Sandbox> sandbox;
  std::shared_ptr<Zygote> zygote = {};  // may be null: see zygote_for()

  ExtensionHeaders headers() const;

  // Runs a script of `folder` in the compilers' sandbox. The script may read the files that `request` names
  // and may write into the request's output folder. `environment` is added to the locale and TMPDIR. An Error
  // if the script cannot be started.
  Result<ProcessOutcome> run(const std::vector<std::string>& flags, const std::string& script,
                             const std::vector<std::string>& arguments, const BuildRequest& request,
                             std::vector<std::string> environment, const ProcessLimits& limits) const;
};

// The tools of this machine. An Error is the machine's: see find_python_with_torch(). A process queries each
// interpreter only once.
Result<PythonTools> find_python_tools(const std::filesystem::path& chosen,
                                      const std::filesystem::path& folder,
                                      std::shared_ptr<const Sandbox> sandbox);

// Examines `source` (the text of the file in `request`) in a sandboxed interpreter, builds the extensions
// that the source names literally, and writes the bundle: BuildOutcome::library. A syntax error is a compile
// error. An entry point that does not fit the problem is a signature mismatch.
Result<BuildOutcome> build_python(const Toolchain& toolchain, const PythonTools& tools,
                                  const Problem& problem, const std::string& source,
                                  const BuildRequest& request);

// Writes the bundle of a problem's `Model` without examining it: BuildOutcome::library. The oracle computes
// in float64.
Result<BuildOutcome> bundle_model(const Problem& problem, const std::string& source,
                                  const BuildRequest& request, Role role);

// Builds an extension that a worker asks for, in a folder below the output folder of `request`.
Result<BuildOutcome> build_extension_of(const Toolchain& toolchain, const PythonTools& tools,
                                        const std::string& extension, const BuildRequest& request);

// The zygote of these tools, from which workers are forked. The zygote begins to import when this function is
// first called. All runs of a process share it, because its imports do not depend on the run. Null if kgrade
// itself cannot make the namespaces of workers.
std::shared_ptr<Zygote> zygote_for(const PythonTools& tools);

}  // namespace kgrade
