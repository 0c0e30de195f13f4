#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/subprocess.h"
#include "base/text.h"
#include "cli/additions.h"
#include "cli/app.h"
#include "cli/options.h"
#include "compile/matrix_units.h"
#include "compile/nvcc_toolchain.h"
#include "compile/python_interpreter.h"
#include "device/registry.h"
#include "grade/run.h"
#include "measure/nvml.h"
#include "problem/catalogue.h"
#include "record/record.h"
#include "record/terminal.h"
#include "sandbox/sandbox.h"

namespace kgrade::cli {
namespace {

Need cuda_compiler() {
  const std::string what = "nvcc";
  const auto found = find_nvcc();
  if (!found) return {false, what, "none: the CUDA device cannot build contestants", nvcc_remedy};
  if (find_program("g++")) return {true, what, found->string(), ""};
  return {false, what,
          found->string() + " calls g++, which is not installed: the CUDA device cannot build contestants",
          gxx_remedy};
}

// The disassembler that finds the matrix units of candidates. Grading works without it.
Need disassembler(const std::string& python) {
  const auto nvcc = find_nvcc();
  const std::filesystem::path toolkit = nvcc ? nvcc->parent_path().parent_path() : std::filesystem::path();
  const auto found = find_cuobjdump(toolkit, [&python] { return find_python(python); });
  return {
      found.has_value(), "cuobjdump",
      found ? printable_line(found->string()) : "none: records do not name the matrix units of candidates",
      cuobjdump_remedy};
}

std::vector<Need> cuda_devices() {
  const CudaProbe found = probe_cuda();
  if (found.problem) return {{false, "CUDA device", found.problem->message, found.problem->remedy}};
  std::vector<Need> findings;
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const DeviceInfo& device = found.devices[i];
    findings.push_back({true, fmt::format("CUDA device {}", i),
                        fmt::format("{}, {}, {}, driver for CUDA {}", device.name, device.architecture,
                                    format_bytes(device.memory_bytes), device.driver_version),
                        ""});
  }
  return findings;
}

// The libraries that baselines use.
std::vector<Need> libraries_of(const Layout& layout) {
  std::vector<Need> findings;
  for (const VendorLibrary& library : layout.libraries) {
    if (!library.is_there()) {
      findings.push_back({false, library.name, library.absence() + ": no baselines of it", library.remedy()});
    } else {
      const std::string folder = library.files.front().parent_path().string();
      findings.push_back({true, library.name, fmt::format("{} in {}", library.version, folder), ""});
    }
  }
  return findings;
}

// The sources of telemetry during measuring.
std::vector<Need> telemetry() {
  std::vector<Need> findings;
  for (const DeviceInfo& device : probe_cuda().devices) {
    const auto found = open_nvml(device.uuid);
    const std::string what = "telemetry";
    if (!found->absent().empty()) {
      findings.push_back({false, what, found->absent(), "install the driver's libnvidia-ml.so.1"});
    } else {
      const std::vector<std::string> missing = found->missing();
      const std::string but = missing.empty() ? "" : fmt::format("; missing: {}", fmt::join(missing, "; "));
      findings.push_back({true, what, "NVML on " + device.name + but, ""});
    }
  }
  return findings;
}

// PyTorch, and whether it works with extensions that nvcc builds.
Need torch_of(const PythonInterpreter& python) {
  const std::string cuda = python.torch_cuda_version;
  const std::string version =
      fmt::format("{} {}", python.torch_version, cuda.empty() ? "without CUDA" : "for CUDA " + cuda);
  const auto nvcc = find_nvcc();
  const std::string other = nvcc ? version_of_nvcc(*nvcc) : "";
  switch (match_cuda(python, other)) {
    case CudaMatch::other_major:
      return {false, "PyTorch for nvcc",
              fmt::format("{}, and nvcc is {}: extensions that need PyTorch's own headers cannot be built",
                          version, other),
              "install nvcc and PyTorch for CUDA of the same major version"};
    case CudaMatch::other_minor:
      return {true, "PyTorch", fmt::format("{}; nvcc is {}, which works too", version, other), ""};
    default:
      return {true, "PyTorch", version, ""};
  }
}

// The Python for candidates. Only Python candidates need it, so its absence is not a failure.
std::vector<Need> python_for_candidates(const std::string& chosen) {
  const std::string python = "Python";
  const std::string torch = "PyTorch";
  const auto found = find_python(chosen);
  if (!found)
    return {{false, python, found.error().message + ": no Python candidates", found.error().remedy}};
  std::vector<Need> findings = {{true, python,
                                 fmt::format("{} in {}, for Python candidates", found->version,
                                             printable_line(found->program.string())),
                                 ""}};
  if (const Errors lacks = lacks_of(*found); !lacks.empty())
    findings.push_back(
        {false, torch, lacks.front().message + ": no Python candidates", lacks.front().remedy});
  if (!found->torch_version.empty()) findings.push_back(torch_of(*found));
  const bool triton = !found->triton_version.empty();
  findings.push_back({triton, "Triton", triton ? found->triton_version : "none: no candidates with Triton",
                      fmt::format("run `{} -m pip install triton`", found->program.string())});
  return findings;
}

Need problems(const Layout& layout) {
  const auto files = problem_files(layout.problems);
  if (!files) return {false, "problems", files.error().message, "name the folder with --problems"};
  return {true, "problems", fmt::format("{} in {}", files->size(), folder_names(layout.problems)), ""};
}

// The documents that the help names as docs/... An installation may lack them.
std::vector<Need> documents(const Layout& layout) {
  const std::filesystem::path folder = layout.documents / "docs";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return {};
  return {{true, "documents", folder.string(), ""}};
}

Need temporary_folder() {
  const char* base = std::getenv("TMPDIR");
  const std::string folder = base != nullptr && *base != '\0' ? base : "/tmp";
  if (::access(folder.c_str(), W_OK) == 0) return {true, "temporary folder", folder, ""};
  return {false, "temporary folder", folder + " cannot be written to", "set TMPDIR to a folder that can"};
}

// The name of a layer in texts for people.
std::string spoken(const std::string& layer) {
  if (layer == "no_new_privileges") return "no new privileges";
  return layer == "landlock" ? "Landlock" : layer;
}

// The sandbox in one line. Dropped privileges are not mentioned if they can be dropped.
std::string sandbox_text(const Sandbox& sandbox) {
  std::vector<std::string> active;
  std::vector<std::string> missing;
  for (const SandboxLayer& layer : sandbox.layers()) {
    if (layer.active && layer.name == "no_new_privileges") continue;
    (layer.active ? active : missing).push_back(spoken(layer.name));
  }
  const std::string names = active.empty() ? "none" : fmt::format("{}", fmt::join(active, ", "));
  std::string text =
      fmt::format("Sandbox: {}: contestants are {}", names,
                  sandbox.confines() ? "confined" : "not confined, and nothing that is built is kept");
  if (!missing.empty()) text += fmt::format("; missing: {}", fmt::join(missing, ", "));
  return text;
}

void print(const std::vector<Need>& findings, const Style& style) {
  for (const Need& finding : findings) {
    fmt::print("{} {:<24} {}\n",
               finding.present ? style(Colour::green, "has  ") : style(Colour::yellow, "lacks"), finding.what,
               finding.detail);
    if (!finding.present && !finding.remedy.empty())
      fmt::print("      {:<24} remedy: {}\n", "", finding.remedy);
  }
}

bool all_present(const std::vector<Need>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Need& one) { return one.present; });
}

Need host() {
  const HostInfo host = host_info();
  return {true, "host",
          fmt::format("{}, kernel {}, {} cores, {}", host.system, host.kernel, host.cores,
                      format_bytes(host.memory_bytes)),
          ""};
}

// A device that candidates can be graded on: where that is, and what it needs.
struct Grading {
  std::string where;
  std::vector<Need> needs;
};

// The GPU comes first. A build without the CUDA device lacks it.
std::vector<Grading> gradings(const Layout& layout) {
  std::vector<Grading> all = {{"a GPU", cuda_devices()}};
  all.front().needs.insert(all.front().needs.begin(), cuda_compiler());
  for (const DeviceKind& kind : device_kinds()) {
    const std::vector<Need> needs = kind.needs(layout);
    if (kind.kind != DeviceChoice::Kind::cuda) {
      all.push_back({kind.name, needs});
    } else {
      all.front().needs.insert(all.front().needs.end(), needs.begin(), needs.end());
    }
  }
  return all;
}

int show_cache(bool clear) {
  const auto cache = contestant_cache();
  if (!cache) {
    fmt::print("There is no cache: KGRADE_CACHE_DIR is set and empty.\n");
    return exit_ok;
  }
  if (const std::string problem = cache->problem(); !problem.empty()) {
    return fail({machine_error("the cache of built contestants is not used: " + problem,
                               "make that folder your own, or name another one in KGRADE_CACHE_DIR")});
  }
  if (clear) cache->clear();
  const CacheUse use = cache->use();
  fmt::print("{}\n{} contestants, {} of {}\n", cache->folder().string(), use.entries, format_bytes(use.bytes),
             format_bytes(cache->limit()));
  return exit_ok;
}

struct DoctorArguments {
  std::string directory;
  std::string python;
};

int run(const DoctorArguments& arguments) {
  const Layout layout = Layout::find(arguments.directory);
  const std::vector<Grading> devices = gradings(layout);
  const std::vector<Need> python = python_for_candidates(arguments.python);
  const std::vector<Need> of_all = {temporary_folder(), problems(layout)};
  const Sandbox sandbox = Sandbox::probe(layout.launcher);
  std::vector<Need> layers;
  for (const SandboxLayer& layer : sandbox.layers())
    layers.push_back({layer.active, spoken(layer.name), layer.detail, layer.remedy});
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  print({host()}, style);
  std::for_each(devices.rbegin(), devices.rend(), [&](const Grading& one) { print(one.needs, style); });
  for (const std::vector<Need>& needs :
       {std::vector{disassembler(arguments.python)}, libraries_of(layout), telemetry()})
    print(needs, style);
  for (const auto& needs : additions().needs) print(needs(layout), style);
  for (const std::vector<Need>& needs : {python, of_all, documents(layout), layers}) print(needs, style);
  fmt::print("\n");
  bool ready = false;
  for (const Grading& one : devices) {
    const bool is_ready = all_present(one.needs);
    ready = ready || is_ready;
    fmt::print("{:<32}{}\n", "Grading on " + one.where + ":", is_ready ? "ready" : "not ready");
  }
  fmt::print("{}\n", sandbox_text(sandbox));
  // A user who names a Python asks whether it works.
  if (!arguments.python.empty() && !find_python_with_torch(arguments.python)) return exit_machine;
  // Grading works with the remaining layers.
  return ready && all_present(of_all) ? exit_ok : exit_machine;
}

}  // namespace

Command add_doctor(CLI::App& app) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command =
      app.add_subcommand("doctor", "Show what this machine has and lacks for grading, with remedies");
  add_grade_option(*command, "problems", &arguments->directory);
  add_grade_option(*command, "python", &arguments->python);
  return {command, [arguments] { return run(*arguments); }};
}

Command add_cache(CLI::App& app) {
  auto clear = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Show or clear the cache of built contestants");
  command->add_flag("--clear", *clear, "Remove everything in it");
  command->footer(
      "KGRADE_CACHE_DIR names another folder; if it is set but empty, there is no cache.\n"
      "KGRADE_CACHE_LIMIT is its largest size (default: 2G). Without namespaces for its sandbox kgrade keeps "
      "no cache.");
  return {command, [clear] { return show_cache(*clear); }, builds_contestants};
}

}  // namespace kgrade::cli
