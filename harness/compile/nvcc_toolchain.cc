#include "compile/nvcc_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>
#include <regex>

#include "base/subprocess.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/confined_compiler.h"
#include "compile/extension.h"
#include "compile/extension_flags.h"
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
      gencode_(gencode(architecture)),
      flags_({"-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", gencode_}),
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

namespace {

bool is_cuda(const std::filesystem::path& unit) {
  return unit.extension() == ".cu" || unit.extension() == ".cuh";
}

// What PyTorch hands to nvcc for every extension (torch.utils.cpp_extension, COMMON_NVCC_FLAGS).
const std::vector<std::string> torch_nvcc_flags = {
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__", "--expt-relaxed-constexpr"};

std::vector<std::string> include_flags(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                       const BuildRequest& request) {
  std::vector<std::string> flags;
  const auto add = [&flags](const std::filesystem::path& folder) { flags.push_back("-I" + folder.string()); };
  if (extension.torch_headers) {
    add(headers.torch / "include");
    add(headers.torch / "include/torch/csrc/api/include");
    add(headers.python);
    flags.push_back("-DTORCH_EXTENSION_NAME=" + extension.name);
    flags.emplace_back("-DTORCH_API_INCLUDE_EXTENSION_H");
  } else {
    add(headers.small);
    flags.push_back("-DTORCH_EXTENSION_NAME=" + extension.name);
  }
  for (const auto& folder : request.include_directories) add(folder);
  for (const auto& folder : extension.include_paths) {
    if (is_shell_proof(folder)) add(folder);
  }
  return flags;
}

void append(std::vector<std::string>& command, const PlainFlags& plain) {
  command.insert(command.end(), plain.flags.begin(), plain.flags.end());
}

// Said once for all units.
std::string flags_left_out(const ExtensionRequest& extension) {
  std::vector<std::string> all;
  for (const PlainFlags& plain : {plain_host_flags(extension.cflags), plain_nvcc_flags(extension.cuda_cflags),
                                  plain_linker_flags(extension.ldflags)}) {
    all.insert(all.end(), plain.left_out.begin(), plain.left_out.end());
  }
  return all.empty() ? "" : fmt::format("flags left out: {}\n", fmt::join(all, " "));
}

}  // namespace

std::vector<std::string> NvccToolchain::unit_command(const ExtensionRequest& extension,
                                                     const std::vector<std::string>& includes,
                                                     const ExtensionUnit& source,
                                                     const std::filesystem::path& unit) const {
  // PyTorch's newest headers want it.
  const std::string language = extension.torch_headers ? "-std=c++20" : "-std=c++17";
  std::vector<std::string> command;
  if (is_cuda(unit)) {
    command = {nvcc_.string(), "-O3", language, "-Xcompiler=-fPIC,-fno-gnu-unique", gencode_};
    command.insert(command.end(), torch_nvcc_flags.begin(), torch_nvcc_flags.end());
    if (!extension.torch_headers) command.emplace_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  } else {
    // Without -O, as PyTorch compiles host code by itself.
    command = {"g++",   language,
               "-fPIC", "-fno-gnu-unique",
               "-w",    "-I" + (nvcc_.parent_path().parent_path() / "include").string()};
  }
  command.insert(command.end(), includes.begin(), includes.end());
  const auto plain_flags = is_cuda(unit) ? plain_nvcc_flags : plain_host_flags;
  if (!extension.torch_headers) append(command, plain_flags(source.small_flags));
  append(command, plain_flags(is_cuda(unit) ? extension.cuda_cflags : extension.cflags));
  command.insert(command.end(), {"-c", "-o", unit.string() + ".o", unit.string()});
  return command;
}

std::vector<std::string> NvccToolchain::link_command(const ExtensionRequest& extension,
                                                     const ExtensionHeaders& headers,
                                                     const std::vector<std::filesystem::path>& units,
                                                     const std::filesystem::path& library) const {
  // Not by nvcc, which would look for device code to link first.
  std::vector<std::string> command = {"g++", "-shared", "-Wl,-Bsymbolic", "-o", library.string()};
  for (const auto& unit : units) command.push_back(unit.string() + ".o");
  const std::string toolkit = (nvcc_.parent_path().parent_path() / "lib64").string();
  command.push_back("-L" + toolkit);
  append(command, plain_linker_flags(extension.ldflags));
  for (const char* name : {"-lcudart_static", "-ldl", "-lrt", "-lpthread"}) command.emplace_back(name);
  if (!extension.torch_headers) return command;
  command.push_back("-L" + (headers.torch / "lib").string());
  for (const char* name : {"-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python", "-lc10_cuda", "-ltorch_cuda"})
    command.emplace_back(name);
  return command;
}

Result<BuildOutcome> NvccToolchain::build_extension(const ExtensionRequest& extension,
                                                    const ExtensionHeaders& headers,
                                                    const BuildRequest& request) const {
  const auto units = write_units(extension, request.output_directory);
  if (!units) return units.errors();
  BuildRequest confined = request;
  if (confined.readable) {
    confined.readable->insert(confined.readable->end(), units->begin(), units->end());
    confined.readable->push_back(extension.torch_headers ? headers.torch : headers.small);
    if (extension.torch_headers) confined.readable->push_back(headers.python);
  }
  add_submission_headers(extension.own_headers, confined);
  BuildOutcome outcome;
  outcome.library = request.output_directory / "contestant.so";
  outcome.log = flags_left_out(extension);
  const std::vector<std::string> includes = include_flags(extension, headers, confined);
  std::vector<std::future<Result<ProcessOutcome>>> running;
  for (std::size_t i = 0; i < units->size(); ++i) {
    running.push_back(std::async(std::launch::async, [&, i] {
      return compiler_.run(confined, unit_command(extension, includes, extension.units[i], (*units)[i]),
                           compiler_environment(nvcc_, confined.output_directory), compile_limits(confined));
    }));
  }
  bool compiled = true;
  for (auto& unit : running) {
    const auto process = unit.get();
    if (!process) return process.errors();
    compiled = add_process(*process, request, outcome) && compiled;
  }
  if (!compiled) return outcome;
  const auto linked =
      compiler_.run(confined, link_command(extension, headers, *units, outcome.library),
                    compiler_environment(nvcc_, request.output_directory), compile_limits(request));
  if (!linked) return linked.errors();
  if (add_process(*linked, request, outcome)) outcome.status = BuildStatus::built;
  return outcome;
}

// False, with a message, when it failed.
bool NvccToolchain::add_process(const ProcessOutcome& process, const BuildRequest& request,
                                BuildOutcome& outcome) {
  const std::string log =
      with_shown_names(process.output, request.source, request.shown_as, request.output_directory);
  outcome.seconds += process.seconds;
  outcome.log += log;
  if (process.success()) return true;
  outcome.machine_fault = possible_machine_fault(process);
  if (outcome.message.empty()) outcome.message = first_error_line(log);
  return false;
}

}  // namespace kgrade
