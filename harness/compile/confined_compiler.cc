#include "compile/confined_compiler.h"

#include "base/defences.h"
#include "compile/compiler_log.h"

namespace kgrade {
namespace {

// A driver, its stages one after the other, and the threads of a linker on a machine with many cores.
constexpr unsigned most_processes = 512;

// The launcher's own end (sandbox/sandbox.h), which is no fault of the contestant's. No compiler has these.
bool sandbox_failed(const ProcessOutcome& outcome) {
  return outcome.exit_code >= 125 && outcome.exit_code <= 127;
}

}  // namespace

ConfinedCompiler::ConfinedCompiler(std::shared_ptr<const Sandbox> sandbox,
                                   std::vector<std::filesystem::path> toolchain)
    : sandbox_(std::move(sandbox)), toolchain_(std::move(toolchain)) {}

SandboxPolicy ConfinedCompiler::policy(const BuildRequest& request, const ProcessLimits& limits) const {
  SandboxPolicy policy;
  policy.readable = toolchain_;
  if (request.readable) {
    policy.readable.insert(policy.readable.end(), request.readable->begin(), request.readable->end());
  }
  policy.hidden = request.hidden;
  policy.writable = {request.output_directory};
  policy.starts_programs = true;
  // Compilers do without, and the mounts that it lists tell where things lie.
  policy.proc = false;
  policy.memory_bytes = limits.address_space_bytes;
  policy.processes = most_processes;
  return policy;
}

Result<ProcessOutcome> ConfinedCompiler::run(const BuildRequest& request,
                                             const std::vector<std::string>& command,
                                             const std::vector<std::string>& environment,
                                             const ProcessLimits& limits) const {
  const auto program = find_program(command.front());
  std::vector<std::string> full = command;
  if (program) full.front() = program->string();
  const bool confine = program && sandbox_ && request.readable && is_on(Defence::compile_sandbox);
  std::vector<std::string> variables = environment;
  if (confine) {
    full = sandbox_->wrap(policy(request, limits), full);
    // For a compiler behind ccache: no cache is in reach, and without a home it refuses to start.
    variables.insert(variables.end(), {"HOME=" + request.output_directory.string(), "CCACHE_DISABLE=1"});
  }
  auto outcome = run_process({full, variables, request.output_directory, limits});
  if (!outcome) return outcome;
  outcome->output = with_lines_cut(outcome->output);
  if (confine && sandbox_failed(*outcome)) {
    return Error{
        "the compiler's sandbox cannot be set up: " + outcome->output.substr(0, outcome->output.find('\n')),
        "`kgrade doctor` tells what this machine allows",
        {}};
  }
  return outcome;
}

}  // namespace kgrade
