#include "compile/nvcc_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>

#include "base/subprocess.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/elf_file.h"
#include "compile/extension_flags.h"

namespace kgrade {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

std::vector<std::string> compiler_environment(const std::filesystem::path& nvcc,
                                              const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}:{}", nvcc.parent_path().string(), path != nullptr ? path : "/usr/bin:/bin"),
          "LC_ALL=C", fmt::format("TMPDIR={}", temporary.string())};
}

// From Hopper on, the target with the suffix "a" has additional instructions (wgmma, setmaxnreg).
std::string gencode_of(const std::string& architecture) {
  std::string number = architecture.substr(architecture.find('_') + 1);
  if (number.size() > 2 || number >= "90") number += "a";
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
}

// The text after `before` in the first line that contains it. Empty if there is no such line.
std::string rest_of_line(const std::string& text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_script(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  char start[2] = {};
  return file.read(start, sizeof start) && start[0] == '#' && start[1] == '!';
}

// Debian's package has a script that starts an nvcc elsewhere. The other programs of the toolkit lie beside
// the real nvcc, which reports its folder.
std::filesystem::path program_behind_script(const std::filesystem::path& program) {
  if (!is_script(program)) return program;
  const auto outcome = run_process({{program.string(), "--dryrun", "-x", "cu", "/dev/null"},
                                    compiler_environment(program, "/tmp"),
                                    "",
                                    {},
                                    65536});
  const std::string folder = outcome.ok() ? rest_of_line(outcome->output, "#$ _HERE_=") : "";
  return folder.empty() ? program : find_program(folder + "/nvcc").value_or(program);
}

ConfinedCompiler confined(const std::filesystem::path& nvcc, std::shared_ptr<const Sandbox> sandbox) {
  if (!sandbox) return ConfinedCompiler();
  std::vector<std::filesystem::path> paths = cuda_toolkit_paths(nvcc);
  // The compiler that nvcc calls for host code.
  const auto host = host_compiler_paths({"g++"}, compiler_environment(nvcc, "/tmp"));
  paths.insert(paths.end(), host.begin(), host.end());
  return ConfinedCompiler(std::move(sandbox), std::move(paths));
}

using Words = std::vector<std::string>;

// The flags that PyTorch passes to nvcc for every extension (torch.utils.cpp_extension, COMMON_NVCC_FLAGS).
const Words torch_nvcc_flags = {"-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
                                "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
                                "--expt-relaxed-constexpr"};

void add_words(Words& command, const Words& more) { command.insert(command.end(), more.begin(), more.end()); }

Words include_flags(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                    const BuildRequest& request) {
  Words flags = {"-DTORCH_EXTENSION_NAME=" + extension.name};
  const auto add = [&flags](const std::filesystem::path& folder) { flags.push_back("-I" + folder.string()); };
  if (extension.torch_headers) {
    flags.emplace_back("-DTORCH_API_INCLUDE_EXTENSION_H");
    add(headers.torch / "include");
    add(headers.torch / "include/torch/csrc/api/include");
    add(headers.python);
  } else {
    add(headers.small);
  }
  for (const auto& folder : request.include_directories) add(folder);
  for (const auto& folder : extension.include_paths) {
    if (is_shell_proof(folder)) add(folder);
  }
  return flags;
}

// A note about flags that were left out, which covers all units.
std::string flags_left_out(const ExtensionRequest& extension) {
  Words all;
  for (const PlainFlags& plain : {plain_host_flags(extension.cflags), plain_nvcc_flags(extension.cuda_cflags),
                                  plain_linker_flags(extension.ldflags)}) {
    add_words(all, plain.left_out);
  }
  return all.empty() ? "" : fmt::format("flags left out: {}\n", fmt::join(all, " "));
}

std::string object_of(const std::filesystem::path& unit) { return unit.string() + ".o"; }

Words unit_command(const Nvcc& nvcc, const ExtensionRequest& extension, const Words& includes,
                   const ExtensionUnit& source, const std::filesystem::path& unit) {
  // PyTorch's newest headers need C++20.
  const std::string language = extension.torch_headers ? "-std=c++20" : "-std=c++17";
  Words command;
  if (source.is_cuda()) {
    command = {nvcc.program(), "-O3", language, "-Xcompiler=-fPIC,-fno-gnu-unique", nvcc.gencode()};
    add_words(command, torch_nvcc_flags);
    if (!extension.torch_headers) command.emplace_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  } else {
    // There is no -O, because PyTorch compiles host code without it.
    command = {"g++", language, "-fPIC", "-fno-gnu-unique", "-w", "-I" + nvcc.toolkit_folder("include")};
  }
  add_words(command, includes);
  const auto plain_flags = source.is_cuda() ? plain_nvcc_flags : plain_host_flags;
  if (!extension.torch_headers) add_words(command, plain_flags(source.small_flags).flags);
  add_words(command, plain_flags(extension.flags_of(source)).flags);
  add_words(command, {"-c", "-o", object_of(unit), unit.string()});
  return command;
}

// The functions of the CUDA runtime that launch kernels, with their arguments. nvcc turns `<<<...>>>` into
// calls of the first function, or of the second if kernels are identified by handles. A runtime may lack some
// of them.
struct LaunchFunction {
  const char* name;
  const char* parameters;
  const char* arguments;
  const char* seen;  // kernel, grid, block and dynamic shared memory, for kgrade_launch_failed()
};
constexpr const char* parameters_of_kernels =
    "const void* kernel, kgrade_extent grid, kgrade_extent block, void** arguments, decltype(sizeof(0)) "
    "shared, void* stream";
constexpr const char* arguments_of_kernels = "kernel, grid, block, arguments, shared, stream";
constexpr const char* seen_of_kernels = "kernel, &grid, &block, shared";
constexpr LaunchFunction launch_functions[] = {
    {"cudaLaunchKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"__cudaLaunchKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"cudaLaunchCooperativeKernel", parameters_of_kernels, arguments_of_kernels, seen_of_kernels},
    {"cudaLaunchKernelExC", "const kgrade_configuration* configuration, const void* kernel, void** arguments",
     "configuration, kernel, arguments",
     "kernel, configuration ? &configuration->grid : nullptr, configuration ? &configuration->block : "
     "nullptr, "
     "configuration ? configuration->shared : 0"},
};
// The suffix of these functions in code that is compiled with a default stream per thread.
constexpr const char* variants[] = {"", "_ptsz"};

// C++ source that intercepts the launches of a contestant linked with launch_watch_options(). It needs no
// header. It passes the cudaError_t, the kernel and the configuration of each failed launch to the worker's
// kgrade_launch_failed(). kgrade_extent has the layout of dim3: three numbers. kgrade_configuration has that
// of the beginning of cudaLaunchConfig_t. A kernel is identified by the address that CUDA's runtime uses, or
// by a handle.
std::string launch_watch_source() {
  std::string source =
      "struct kgrade_extent { unsigned int x, y, z; };\n"
      "struct kgrade_configuration { kgrade_extent grid, block; decltype(sizeof(0)) shared; };\n"
      "extern \"C\" __attribute__((weak)) void kgrade_launch_failed(int error, const void* kernel, const "
      "unsigned int* grid, const unsigned int* block, decltype(sizeof(0)) shared);\n"
      "static int kgrade_watched(int error, const void* kernel, const kgrade_extent* grid, const "
      "kgrade_extent* block, decltype(sizeof(0)) shared) {\n"
      "  if (error != 0 && kgrade_launch_failed != nullptr)\n"
      "    kgrade_launch_failed(error, kernel, grid ? &grid->x : nullptr, block ? &block->x : nullptr, "
      "shared);\n"
      "  return error;\n"
      "}\n";
  for (const LaunchFunction& function : launch_functions) {
    for (const char* const variant : variants) {
      source += fmt::format(
          "extern \"C\" __attribute__((weak)) int __real_{0}{1}({2});\n"
          "extern \"C\" __attribute__((visibility(\"hidden\"))) int __wrap_{0}{1}({2}) {{\n"
          "  return kgrade_watched(__real_{0}{1}({3}), {4});\n"
          "}}\n",
          function.name, variant, function.parameters, function.arguments, function.seen);
    }
  }
  return source;
}

// Options for ld, to be written after "-Wl," or nvcc's "-Xlinker=".
std::string launch_watch_options() {
  std::vector<std::string> options;
  for (const LaunchFunction& function : launch_functions) {
    for (const char* const variant : variants)
      options.push_back(fmt::format("--wrap={}{}", function.name, variant));
  }
  return fmt::format("{}", fmt::join(options, ","));
}

Words link_command(const Nvcc& nvcc, const ExtensionRequest& extension, const ExtensionHeaders& headers,
                   const std::vector<std::filesystem::path>& units, const std::filesystem::path& library) {
  // g++ links instead of nvcc, because nvcc would first look for device code to link.
  Words command = {"g++", "-shared",       "-Wl,-Bsymbolic", "-Wl," + launch_watch_options(),
                   "-o",  library.string()};
  for (const auto& unit : units) command.push_back(object_of(unit));
  // NVIDIA's packages on PyPI have the folder "lib".
  for (const char* folder : {"lib64", "lib"}) command.push_back("-L" + nvcc.toolkit_folder(folder));
  add_words(command, plain_linker_flags(extension.ldflags).flags);
  add_words(command, {"-lcudart_static", "-ldl", "-lrt", "-lpthread"});
  if (!extension.torch_headers) return command;
  command.push_back("-L" + (headers.torch / "lib").string());
  add_words(command, {"-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python", "-lc10_cuda", "-ltorch_cuda"});
  return command;
}

// Adds the log of a process to the outcome. Sets the message and returns false if the process failed.
bool add_process(const ProcessOutcome& process, const BuildRequest& request, BuildOutcome& outcome) {
  const std::string log =
      with_shown_names(process.output, request.source, request.shown_as, request.output_directory);
  outcome.seconds += process.seconds;
  outcome.log += log;
  if (process.success()) return true;
  outcome.machine_fault = possible_machine_fault(process);
  outcome.ran_out_of_time = outcome.ran_out_of_time || process.timed_out;
  const auto limit = exceeded_limit(process, Nvcc::limits(request));
  if (outcome.message.empty()) outcome.message = limit.value_or(first_error_line(log));
  if (limit) outcome.log += *limit + "\n";
  return false;
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
  // "Cuda compilation tools, release 13.0, V13.0.88".
  const std::string version = outcome.ok() ? rest_of_line(outcome->output, ", V") : "";
  return version.empty() ? "unknown" : version;
}

Nvcc::Nvcc(std::filesystem::path program, const std::string& architecture,
           std::shared_ptr<const Sandbox> sandbox)
    : program_(std::move(program)),
      gencode_(gencode_of(architecture)),
      compiler_(confined(program_, std::move(sandbox))) {}

std::string Nvcc::toolkit_folder(const char* name) const {
  const std::filesystem::path toolkit = program_.parent_path().parent_path();
  return (*name == '\0' ? toolkit : toolkit / name).string();
}

Result<ProcessOutcome> Nvcc::run(const BuildRequest& request, const std::vector<std::string>& command) const {
  return compiler_.run(request, command, compiler_environment(program_, request.output_directory),
                       limits(request));
}

ProcessLimits Nvcc::limits(const BuildRequest& request) {
  ProcessLimits limits;
  limits.wall = request.time_limit.wall;
  limits.cpu = request.time_limit.processor;
  limits.address_space_bytes = 16 * gibibyte;
  limits.file_size_bytes = gibibyte;
  return limits;
}

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
  BuildRequest own = request;
  auto units = write_units(extension, headers, own);
  if (!units) return units.errors();
  const std::filesystem::path watch = request.output_directory / "kgrade_launch_watch.cc";
  if (auto written = write_file_atomically(watch, launch_watch_source()); !written) return written.errors();
  if (own.readable) own.readable->push_back(watch);
  BuildOutcome outcome;
  outcome.torch_headers = extension.torch_headers;
  outcome.library = request.output_directory / "contestant.so";
  outcome.log = flags_left_out(extension);
  const Words includes = include_flags(extension, headers, own);
  std::vector<std::future<Result<ProcessOutcome>>> running;
  for (std::size_t i = 0; i < units->size(); ++i) {
    running.push_back(std::async(std::launch::async, [&, i] {
      return nvcc_.run(own, unit_command(nvcc_, extension, includes, extension.units[i], (*units)[i]));
    }));
  }
  running.push_back(std::async(std::launch::async, [&] {
    return nvcc_.run(
        own, Words{"g++", "-O1", "-fPIC", "-fno-gnu-unique", "-c", "-o", object_of(watch), watch.string()});
  }));
  bool compiled = true;
  for (auto& unit : running) {
    const auto process = unit.get();
    if (!process) return process.errors();
    compiled = add_process(*process, request, outcome) && compiled;
  }
  if (!compiled) return outcome;
  units->push_back(watch);
  const auto linked = nvcc_.run(own, link_command(nvcc_, extension, headers, *units, outcome.library));
  if (!linked) return linked.errors();
  if (add_process(*linked, request, outcome)) outcome.status = BuildStatus::built;
  return outcome;
}

}  // namespace kgrade
