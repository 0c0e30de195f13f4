#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/subprocess.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "check/sanitizer_findings.h"
#include "compile/nvcc.h"
#include "compile/python_interpreter.h"
#include "compile/source_places.h"
#include "device/registry.h"
#include "measure/nvml.h"
#include "problem/catalogue.h"
#include "profile/profiler.h"
#include "record/record.h"
#include "record/terminal.h"
#include "sandbox/sandbox.h"

namespace kgrade::cli {
namespace {

// One thing that a machine has or lacks.
struct Finding {
  bool present = false;
  std::string what;
  std::string detail;
  std::string remedy;  // if it is missing
};

std::string first_line(const std::vector<std::string>& command) {
  const auto outcome =
      run_process({command, {"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}, "", {}, 4096});
  if (!outcome || !outcome->success()) return "";
  return outcome->output.substr(0, outcome->output.find('\n'));
}

constexpr const char* gxx_remedy = "run `apt-get install g++`, or install g++ 12 or later in another way";

Finding host_compiler() {
  for (const char* name : {"g++", "clang++"}) {
    if (const auto found = find_program(name))
      return {true, "C++ compiler", first_line({found->string(), "--version"}), ""};
  }
  return {false, "C++ compiler", "none: the emulated device cannot build contestants", gxx_remedy};
}

Finding cuda_compiler() {
  const std::string what = "nvcc";
  const auto found = find_nvcc();
  if (!found) return {false, what, "none: the CUDA device cannot build contestants", nvcc_remedy};
  if (find_program("g++")) return {true, what, found->string(), ""};
  return {false, what,
          found->string() + " calls g++, which is not installed: the CUDA device cannot build contestants",
          gxx_remedy};
}

std::vector<Finding> cuda_devices() {
  const CudaProbe found = probe_cuda();
  if (found.problem) return {{false, "CUDA device", found.problem->message, found.problem->remedy}};
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const DeviceInfo& device = found.devices[i];
    findings.push_back({true, fmt::format("CUDA device {}", i),
                        fmt::format("{}, {}, {}, driver for CUDA {}", device.name, device.architecture,
                                    format_bytes(device.memory_bytes), device.driver_version),
                        ""});
  }
  return findings;
}

// A library that baselines use.
Finding vendor_library(const VendorLibrary& library) {
  const std::string& what = library.name;
  if (!library.is_there()) return {false, what, library.absence() + ": no baselines of it", library.remedy()};
  return {true, what, fmt::format("{} in {}", library.version, library.files.front().parent_path().string()),
          ""};
}

std::vector<Finding> libraries_of(const Layout& layout) {
  std::vector<Finding> findings;
  for (const VendorLibrary& library : layout.libraries) findings.push_back(vendor_library(library));
  return findings;
}

// The sources of telemetry during measuring.
std::vector<Finding> telemetry() {
  std::vector<Finding> findings;
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

Finding program(const Layout& layout, const std::string& name) {
  const auto path = layout.workers / name;
  if (::access(path.c_str(), X_OK) == 0) return {true, name, path.string(), ""};
  return {false, name, "missing beside kgrade", "build again: cmake --build --preset release"};
}

// PyTorch, and whether it works with extensions that nvcc builds.
Finding torch_of(const PythonInterpreter& python) {
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
std::vector<Finding> python_for_candidates(const std::string& chosen) {
  const std::string python = "Python";
  const std::string torch = "PyTorch";
  const auto found = find_python(chosen);
  if (!found)
    return {{false, python, found.error().message + ": no Python candidates", found.error().remedy}};
  std::vector<Finding> findings = {{true, python,
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

bool runs_candidates(const std::string& chosen) { return find_python_with_torch(chosen).ok(); }

// The tools that `kgrade check` uses in addition.
std::vector<Finding> checking_tools() {
  std::vector<Finding> findings;
  const auto addr2line = Addr2line::find_program();
  findings.push_back(addr2line
                         ? Finding{true, "addr2line", addr2line->string(), ""}
                         : Finding{false, "addr2line", addr2line.error().message, addr2line.error().remedy});
  const auto sanitizer = Sanitizer::find();
  findings.push_back(
      sanitizer ? Finding{true, "compute-sanitizer", sanitizer->version(), ""}
                : Finding{false, "compute-sanitizer", sanitizer.error().message, sanitizer.error().remedy});
  return findings;
}

// The tools of `kgrade profile`. Counters are tried on the first GPU.
std::vector<Finding> profiling_tools(const Layout& layout) {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) return {};
  const Profiler profiler = Profiler::find();
  std::vector<Finding> findings;
  if (profiler.cupti().empty())
    findings.push_back({false, "CUPTI", "none: profiles have no times of kernels",
                        "install it with the CUDA Toolkit (libcupti)"});
  else
    findings.push_back({true, "CUPTI", profiler.cupti().string(), ""});
  if (profiler.ncu().empty()) {
    findings.push_back({false, "Nsight Compute", "none: profiles have times and resources alone",
                        "apt install nsight-compute, or put the folder of ncu into PATH"});
    return findings;
  }
  const auto counted = try_counters(profiler, {(layout.workers / "kgrade-worker-cuda").string(),
                                               probe.devices.front().uuid, "--launch-empty"});
  const std::string version = "version " + profiler.ncu_version() + ": ";
  findings.push_back(
      counted ? Finding{true, "Nsight Compute", version + *counted, ""}
              : Finding{false, "Nsight Compute", version + counted.error().message, counted.error().remedy});
  return findings;
}

Finding problems(const Layout& layout) {
  const auto files = problem_files(layout.problems);
  if (!files) return {false, "problems", files.error().message, "name the folder with --problems"};
  return {true, "problems", fmt::format("{} in {}", files->size(), folder_names(layout.problems)), ""};
}

// The documents that the help names as docs/... An installation may lack them.
std::vector<Finding> documents(const Layout& layout) {
  const std::filesystem::path folder = layout.documents / "docs";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return {};
  return {{true, "documents", folder.string(), ""}};
}

Finding temporary_folder() {
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

std::vector<Finding> layer_findings(const Sandbox& sandbox) {
  std::vector<Finding> findings;
  for (const SandboxLayer& layer : sandbox.layers()) {
    findings.push_back({layer.active, spoken(layer.name), layer.detail, layer.remedy});
  }
  return findings;
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

void print(const std::vector<Finding>& findings, const Style& style) {
  for (const Finding& finding : findings) {
    fmt::print("{} {:<24} {}\n",
               finding.present ? style(Colour::green, "has  ") : style(Colour::yellow, "lacks"), finding.what,
               finding.detail);
    if (!finding.present && !finding.remedy.empty())
      fmt::print("      {:<24} remedy: {}\n", "", finding.remedy);
  }
}

bool all_present(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& one) { return one.present; });
}

std::vector<Finding> needs_of_emulated(const Layout& layout) {
  return {host_compiler(), program(layout, "kgrade-rewrite"), program(layout, "kgrade-worker-emulated")};
}

std::vector<Finding> needs_of_cuda(const Layout& layout) {
  std::vector<Finding> findings = cuda_devices();
  findings.insert(findings.begin(), cuda_compiler());
  if (probe_cuda().built) findings.push_back(program(layout, "kgrade-worker-cuda"));
  return findings;
}

Finding host() {
  const HostInfo host = host_info();
  return {true, "host",
          fmt::format("{}, kernel {}, {} cores, {}", host.system, host.kernel, host.cores,
                      format_bytes(host.memory_bytes)),
          ""};
}

struct DoctorArguments {
  std::string directory;
  std::string python;
};

int run(const DoctorArguments& arguments) {
  const Layout layout = Layout::find(arguments.directory);
  const std::vector<Finding> of_emulated = needs_of_emulated(layout);
  const std::vector<Finding> of_cuda = needs_of_cuda(layout);
  const std::vector<Finding> python = python_for_candidates(arguments.python);
  const std::vector<Finding> of_both = {temporary_folder(), problems(layout)};
  const Sandbox sandbox = Sandbox::probe(layout.launcher);
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  for (const std::vector<Finding>& findings :
       {std::vector{host()}, of_emulated, of_cuda, libraries_of(layout), telemetry(), checking_tools(),
        profiling_tools(layout), python, of_both, documents(layout), layer_findings(sandbox)}) {
    print(findings, style);
  }
  const bool emulated = all_present(of_emulated);
  const bool cuda = all_present(of_cuda);
  fmt::print("\nGrading on a GPU:               {}\nGrading on the emulated device: {}\n{}\n",
             cuda ? "ready" : "not ready", emulated ? "ready" : "not ready", sandbox_text(sandbox));
  // A user who names a Python asks whether it works.
  if (!arguments.python.empty() && !runs_candidates(arguments.python)) return exit_machine;
  // Grading works with the remaining layers.
  return (cuda || emulated) && all_present(of_both) ? exit_ok : exit_machine;
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

}  // namespace kgrade::cli
