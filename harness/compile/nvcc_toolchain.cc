#include "compile/nvcc_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "base/subprocess.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/confined_compiler.h"
#include "compile/solution_symbol.h"

namespace kgrade {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

std::vector<std::string> compiler_environment(const std::filesystem::path& nvcc,
                                              const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}:{}", nvcc.parent_path().string(), path != nullptr ? path : "/usr/bin:/bin"),
          "LC_ALL=C", fmt::format("TMPDIR={}", temporary.string())};
}

// From Hopper on, the architecture-specific target is a superset ("a": wgmma, setmaxnreg).
std::string gencode(const std::string& architecture) {
  std::string number = architecture.substr(architecture.find('_') + 1);
  if (number.size() > 2 || number >= "90") number += "a";
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
}

bool is_script(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  char start[2] = {};
  return file.read(start, sizeof start) && start[0] == '#' && start[1] == '!';
}

// A script that starts an nvcc elsewhere (Debian's package has one) lies outside of the toolkit, whose other
// programs are found beside nvcc only. The real one reports its folder.
std::filesystem::path program_behind_script(const std::filesystem::path& program) {
  if (!is_script(program)) return program;
  const auto outcome = run_process({{program.string(), "--dryrun", "-x", "cu", "/dev/null"},
                                    compiler_environment(program, "/tmp"),
                                    "",
                                    {},
                                    65536});
  std::smatch match;
  if (!outcome.ok() ||
      !std::regex_search(outcome->output, match, std::regex(R"((?:^|\n)#\$ _HERE_=([^\n]+)\n)"))) {
    return program;
  }
  return find_program(match[1].str() + "/nvcc").value_or(program);
}

ProcessLimits compile_limits(const BuildRequest& request) {
  ProcessLimits limits;
  limits.wall = request.time_limit;
  limits.cpu = 4 * request.time_limit;
  limits.address_space_bytes = 16 * gibibyte;
  limits.file_size_bytes = gibibyte;
  return limits;
}

ConfinedCompiler confined(const std::filesystem::path& nvcc, std::shared_ptr<const Sandbox> sandbox) {
  if (!sandbox) return ConfinedCompiler();
  std::vector<std::filesystem::path> paths = cuda_toolkit_paths(nvcc);
  // The compiler that nvcc calls for host code.
  const auto host = host_compiler_paths({"g++"}, compiler_environment(nvcc, "/tmp"));
  paths.insert(paths.end(), host.begin(), host.end());
  return ConfinedCompiler(std::move(sandbox), std::move(paths));
}

}  // namespace

std::optional<std::filesystem::path> find_nvcc() {
  if (auto found = find_program("nvcc")) return program_behind_script(*found);
  std::vector<std::string> places;
  if (const char* home = std::getenv("CUDA_HOME")) places.push_back(std::string(home) + "/bin/nvcc");
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const std::string& place : places) {
    if (auto found = find_program(place)) return program_behind_script(*found);
  }
  return std::nullopt;
}

std::string version_of_nvcc(const std::filesystem::path& nvcc) {
  const auto outcome =
      run_process({{nvcc.string(), "--version"}, compiler_environment(nvcc, "/tmp"), "", {}, 65536});
  std::smatch match;
  if (outcome.ok() && std::regex_search(outcome->output, match, std::regex(R"(V([0-9]+\.[0-9]+\.[0-9]+))"))) {
    return match[1].str();
  }
  return "unknown";
}

NvccToolchain::NvccToolchain(std::filesystem::path nvcc, std::string architecture,
                             std::shared_ptr<const Sandbox> sandbox)
    : nvcc_(std::move(nvcc)),
      version_(version_of_nvcc(nvcc_)),
      flags_({"-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", gencode(architecture)}),
      compiler_(confined(nvcc_, std::move(sandbox))) {}

std::string NvccToolchain::describe() const {
  return fmt::format("nvcc {} {}", version_, fmt::join(flags_, " "));
}

std::string NvccToolchain::identity() const {
  std::string text = fmt::format("{}; {}; {}", describe(), stamp_of(nvcc_.string()), stamp_of("g++"));
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
  std::vector<std::string> command = {nvcc_.string()};
  command.insert(command.end(), flags_.begin(), flags_.end());
  // nvcc takes it for host code alone.
  if (request.plain_host_code)
    std::replace(command.begin(), command.end(), std::string("-O3"), std::string("-O0"));
  // Of the host's compiler; nvcc's own stop after 100.
  command.push_back(fmt::format("-Xcompiler=-fmax-errors={}", most_errors_read));
  // Saves a third of the compile: libstdc++'s special functions, which <cmath> drags in, are most of it.
  if (lean) command.emplace_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  // Lines of kernels for compute-sanitizer, of host code for the places of leaks; the code stays as it is.
  // addr2line of the binutils up to 2.40 takes DWARF 5's first file for the second.
  if (request.checked) command.insert(command.end(), {"-lineinfo", "-Xcompiler=-g1,-gdwarf-4"});
  for (const auto& [name, value] : request.defines) command.push_back(fmt::format("-D{}={}", name, value));
  for (const auto& directory : request.include_directories) command.push_back("-I" + directory.string());
  command.insert(command.end(), {"-o", library.string(), unit.string()});
  for (const auto& kernels : request.kernels) command.push_back(kernels.string());
  if (!request.kernels.empty()) command.push_back(fmt::format("--threads={}", 1 + request.kernels.size()));
  // Some compilers drop what is not referred to.
  if (!request.libraries.empty()) command.emplace_back("-Xlinker=--no-as-needed");
  for (const LinkedLibrary& linked : request.libraries) {
    const std::string folder = linked.folder.string();
    command.insert(command.end(), {"-L" + folder, "-l:" + linked.file, "-Xlinker=-rpath=" + folder});
  }
  return command;
}

Result<BuildOutcome> NvccToolchain::build(const Problem& problem, const BuildRequest& request) const {
  // nvcc leaves C++ to the host's compiler. A candidate is CUDA whatever its name ends in.
  const std::filesystem::path unit =
      request.output_directory /
      (request.plain_host_code && request.source.extension() == ".cc" ? "unit.cpp" : "unit.cu");
  const ProcessLimits limits = compile_limits(request);
  BuildOutcome outcome;
  outcome.library = request.output_directory / "contestant.so";
  if (auto written =
          write_file_atomically(unit, binding_unit(problem, request.source.string(), request.dtype));
      !written) {
    return written.errors();
  }
  for (const bool lean : {true, false}) {
    outcome.command = command(request, unit, outcome.library, lean);
    const auto process = compiler_.run(request, outcome.command,
                                       compiler_environment(nvcc_, request.output_directory), limits);
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
    if (const auto limit = exceeded_limit(*process, limits)) {
      outcome.message = *limit;
      return outcome;
    }
    if (auto complaint = signature_complaint(problem, outcome.log, request.dtype)) {
      outcome.status = BuildStatus::signature_mismatch;
      outcome.message = *complaint;
      return outcome;
    }
  }
  outcome.message = first_error_line(outcome.log);
  return outcome;
}

}  // namespace kgrade
