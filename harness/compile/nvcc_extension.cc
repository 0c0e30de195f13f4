#include "compile/nvcc_extension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <future>

#include "base/text.h"
#include "compile/compiler_log.h"
#include "compile/extension_flags.h"
#include "compile/launch_watch.h"

namespace kgrade {
namespace {

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

Words watch_command(const std::filesystem::path& unit) {
  return {"g++", "-O1", "-fPIC", "-fno-gnu-unique", "-c", "-o", object_of(unit), unit.string()};
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

Result<BuildOutcome> build_extension_with(const Nvcc& nvcc, const ExtensionRequest& extension,
                                          const ExtensionHeaders& headers, const BuildRequest& request) {
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
      return nvcc.run(own, unit_command(nvcc, extension, includes, extension.units[i], (*units)[i]));
    }));
  }
  running.push_back(std::async(std::launch::async, [&] { return nvcc.run(own, watch_command(watch)); }));
  bool compiled = true;
  for (auto& unit : running) {
    const auto process = unit.get();
    if (!process) return process.errors();
    compiled = add_process(*process, request, outcome) && compiled;
  }
  if (!compiled) return outcome;
  units->push_back(watch);
  const auto linked = nvcc.run(own, link_command(nvcc, extension, headers, *units, outcome.library));
  if (!linked) return linked.errors();
  if (add_process(*linked, request, outcome)) outcome.status = BuildStatus::built;
  return outcome;
}

}  // namespace kgrade
