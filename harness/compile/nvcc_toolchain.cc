#include "compile/nvcc_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/launch_watch.h"
#include "compile/nvcc_extension.h"
#include "compile/solution_symbol.h"

namespace kgrade {

NvccToolchain::NvccToolchain(std::filesystem::path nvcc, const std::string& architecture,
                             std::shared_ptr<const Sandbox> sandbox)
    : version_(version_of_nvcc(nvcc)),
      nvcc_(std::move(nvcc), architecture, std::move(sandbox)),
      flags_({"-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", nvcc_.gencode()}) {}

std::string NvccToolchain::describe() const {
  return fmt::format("nvcc {} {}", version_, fmt::join(flags_, " "));
}

std::string NvccToolchain::identity() const {
  std::string text = fmt::format("{}; {}; {}; {}", describe(), stamp_of(nvcc_.program()), stamp_of("g++"),
                                 launch_watch_source());
  BuildRequest sample;
  sample.kernels = {"kernels.cu"};
  sample.libraries = {{"folder", "library.so"}};
  for (const bool plain : {false, true}) {
    sample.plain_host_code = plain;
    for (const bool lean : {true, false})
      text += fmt::format("; {}", fmt::join(command(sample, "unit", "contestant.so", lean), " "));
  }
  return text;
}

std::vector<std::string> NvccToolchain::command(const BuildRequest& request,
                                                const std::filesystem::path& unit,
                                                const std::filesystem::path& library, bool lean) const {
  std::vector<std::string> command = {nvcc_.program()};
  command.insert(command.end(), flags_.begin(), flags_.end());
  // nvcc uses this flag for host code only.
  if (request.plain_host_code)
    std::replace(command.begin(), command.end(), std::string("-O3"), std::string("-O0"));
  // This flag is for the host's compiler. nvcc's own compilers stop after 100 errors anyway.
  command.push_back(fmt::format("-Xcompiler=-fmax-errors={}", most_errors_read));
  // This saves a third of the compile time, most of which goes into libstdc++'s special functions in <cmath>.
  if (lean) command.emplace_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  // Line numbers of kernels for compute-sanitizer, and of host code for the places of leaks. The code does
  // not change. The format is DWARF 4, because addr2line of the binutils up to 2.40 confuses the first file
  // of DWARF 5 with the second.
  if (request.checked) command.insert(command.end(), {"-lineinfo", "-Xcompiler=-g1,-gdwarf-4"});
  for (const auto& [name, value] : request.defines) command.push_back(fmt::format("-D{}={}", name, value));
  for (const auto& directory : request.include_directories) command.push_back("-I" + directory.string());
  command.push_back("-Xlinker=" + launch_watch_options());
  command.insert(command.end(), {"-o", library.string(), unit.string()});
  for (const auto& kernels : request.kernels) command.push_back(kernels.string());
  if (!request.kernels.empty()) command.push_back(fmt::format("--threads={}", 1 + request.kernels.size()));
  // Without this option, some linkers drop libraries that nothing refers to.
  if (!request.libraries.empty()) command.emplace_back("-Xlinker=--no-as-needed");
  for (const LinkedLibrary& linked : request.libraries) {
    const std::string folder = linked.folder.string();
    command.insert(command.end(), {"-L" + folder, "-l:" + linked.file, "-Xlinker=-rpath=" + folder});
  }
  return command;
}

Result<BuildOutcome> NvccToolchain::build(const Problem& problem, const BuildRequest& request) const {
  // nvcc leaves a .cpp file to the host's compiler. A candidate is CUDA, whatever the ending of its name.
  const std::filesystem::path unit =
      request.output_directory /
      (request.plain_host_code && request.source.extension() == ".cc" ? "unit.cpp" : "unit.cu");
  BuildOutcome outcome;
  outcome.library = request.output_directory / "contestant.so";
  if (auto written = write_file_atomically(
          unit, binding_unit(problem, request.source.string(), request.dtype) + launch_watch_source());
      !written) {
    return written.errors();
  }
  for (const bool lean : {true, false}) {
    outcome.command = command(request, unit, outcome.library, lean);
    const auto process = nvcc_.run(request, outcome.command);
    if (!process) return process.errors();
    outcome.seconds += process->seconds;
    outcome.log =
        with_shown_names(process->output, request.source, request.shown_as, request.output_directory);
    if (process->success()) {
      const auto complaint = symbol_complaint(problem, outcome.library, request.dtype);
      outcome.status = complaint ? BuildStatus::signature_mismatch : BuildStatus::built;
      outcome.message = complaint.value_or("");
      outcome.machine_fault.reset();
      return outcome;
    }
    outcome.machine_fault = possible_machine_fault(*process);
    outcome.ran_out_of_time = process->timed_out;
    if (const auto limit = exceeded_limit(*process, Nvcc::limits(request))) {
      outcome.message = *limit;
      return outcome;
    }
    if (auto complaint = signature_complaint(problem, outcome.log, request.dtype)) {
      outcome.status = BuildStatus::signature_mismatch;
      outcome.message = *complaint;
      return outcome;
    }
    if (!says_that_something_is_missing(outcome.log)) break;  // the second try would fail for the same reason
  }
  outcome.message = first_error_line(outcome.log);
  return outcome;
}

Result<BuildOutcome> NvccToolchain::build_extension(const ExtensionRequest& extension,
                                                    const ExtensionHeaders& headers,
                                                    const BuildRequest& request) const {
  return build_extension_with(nvcc_, extension, headers, request);
}

}  // namespace kgrade
