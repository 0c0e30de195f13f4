#include "compile/matrix_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/subprocess.h"
#include "base/text.h"
#include "compile/confined_compiler.h"
#include "record/candidate_reports.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The most files of a candidate that are disassembled. Most candidates have one library, or one extension and
// a few kernels.
constexpr std::size_t most_files = 16;

// Honest code has a few. Names of symbols are in the output too, and may be made to look like instructions.
constexpr std::size_t most_matrix_units = 64;

bool is_low_precision(Dtype dtype) { return element_bytes(dtype) <= 2 && dtype != Dtype::boolean; }

// The formats of elements that are too small to have a plain name, as opcodes and people write them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> small_formats = {{
    {"E4M3", "fp8 e4m3"},
    {"E5M2", "fp8 e5m2"},
    {"E3M2", "fp6 e3m2"},
    {"E2M3", "fp6 e2m3"},
    {"E2M1", "fp4 e2m1"},
}};

using Modifiers = std::vector<std::string_view>;

bool has(const Modifiers& modifiers, std::string_view wanted) {
  return std::find(modifiers.begin(), modifiers.end(), wanted) != modifiers.end();
}

// "fp8 e4m3", or "fp8 e4m3 x fp8 e5m2" if the two factors differ.
std::string small_formats_in(const Modifiers& modifiers, const char* otherwise) {
  std::vector<std::string_view> names;
  for (const std::string_view modifier : modifiers) {
    for (const auto& [word, name] : small_formats) {
      const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
      if (modifier == word && !is_known && names.size() < 2) names.push_back(name);
    }
  }
  return names.empty() ? otherwise : fmt::format("{}", fmt::join(names, " x "));
}

// The type of the factors; empty if the instruction uses no matrix unit. Instructions of Blackwell's tensor
// memory (UTC...) have the type in a register.
std::string factors_of(std::string_view name, const Modifiers& modifiers) {
  if (name == "UTCHMMA") return "fp16, bf16 or tf32";
  if (name == "UTCQMMA") return "fp8, fp6 or fp4";
  if (name == "UTCOMMA") return "fp4";
  if (name == "UTCIMMA") return "int8";
  if (name == "HMMA" || name == "HGMMA")
    return has(modifiers, "BF16") ? "bf16" : has(modifiers, "TF32") ? "tf32" : "fp16";
  if (name == "QMMA" || name == "QGMMA") return small_formats_in(modifiers, "fp8");
  if (name == "OMMA") return small_formats_in(modifiers, "fp4");
  if (name == "IMMA" || name == "IGMMA")
    return has(modifiers, "S4") || has(modifiers, "U4") ? "int4" : "int8";
  if (name == "DMMA") return "fp64";
  return name == "BMMA" || name == "BGMMA" ? "1 bit" : "";
}

// The opcode in a line "        /*0090*/   @!P0 HMMA.16816.F32.BF16 R4, R4, R14, RZ ;   /* 0x... */". Empty
// for other lines.
std::string_view opcode_in(std::string_view line) {
  line = trimmed(line, " \t\r");
  if (!line.starts_with("/*")) return "";
  const std::size_t end = line.find("*/");
  if (end == line.npos || line.substr(2, end - 2).find_first_not_of("0123456789abcdef") != line.npos)
    return "";
  line = trimmed(line.substr(end + 2), " \t");
  if (line.starts_with('@')) line = trimmed(line.substr(std::min(line.find(' '), line.size())), " \t");
  return line.substr(0, line.find_first_of(" ;"));
}

std::optional<fs::path> with_nvdisasm(const fs::path& cuobjdump) {
  if (!find_program(cuobjdump.string()) || !find_program((cuobjdump.parent_path() / "nvdisasm").string()))
    return std::nullopt;
  return cuobjdump;
}

}  // namespace

bool has_low_precision(const Problem& problem) {
  const auto is_narrow_tensor = [&](const Parameter& parameter) {
    return parameter.is_tensor() && is_low_precision(parameter.own_dtype().value_or(problem.dtype));
  };
  const auto has_narrow_form = [&](const CaseSpec& spec) {
    return spec.module &&
           std::any_of(spec.module->tensors.begin(), spec.module->tensors.end(), [&](const auto& tensor) {
             return is_low_precision(tensor.second.dtype.value_or(problem.dtype));
           });
  };
  return std::any_of(problem.parameters.begin(), problem.parameters.end(), is_narrow_tensor) ||
         std::any_of(problem.cases.begin(), problem.cases.end(), has_narrow_form);
}

std::string matrix_unit_of(std::string_view opcode) {
  Modifiers modifiers;
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  for (std::size_t at = name.size(); at < opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', at + 1), opcode.size());
    modifiers.push_back(opcode.substr(at + 1, end - at - 1));
    at = end;
  }
  const std::string factors = factors_of(name, modifiers);
  return factors.empty() ? "" : fmt::format("{} ({})", factors, name);
}

std::set<std::string> matrix_units_in(std::string_view sass) {
  std::set<std::string> units;
  for (std::size_t begin = 0; begin < sass.size();) {
    const std::size_t end = std::min(sass.find('\n', begin), sass.size());
    if (std::string unit = matrix_unit_of(opcode_in(sass.substr(begin, end - begin))); !unit.empty())
      units.insert(std::move(unit));
    begin = end + 1;
  }
  return units;
}

std::optional<fs::path> find_cuobjdump(const fs::path& toolkit,
                                       const std::function<Result<PythonInterpreter>()>& python) {
  if (auto found = with_nvdisasm(toolkit / "bin/cuobjdump")) return found;
  if (const auto found = find_program("cuobjdump")) {
    if (auto complete = with_nvdisasm(*found)) return complete;
  }
  const auto interpreter = python();
  if (!interpreter || interpreter->torch_folder.empty()) return std::nullopt;
  return with_nvdisasm(interpreter->torch_folder.parent_path() / "triton/backends/nvidia/bin/cuobjdump");
}

Disassembler::Disassembler(fs::path program, std::shared_ptr<const Sandbox> sandbox, Limits limits)
    : program_(std::move(program)), sandbox_(std::move(sandbox)), limits_(limits) {}

Result<std::set<std::string>> Disassembler::units_in(const fs::path& file) const {
  turns_.acquire();
  const std::unique_ptr<Turns, void (*)(Turns*)> turn(&turns_, [](Turns* turns) { turns->release(); });
  const TemporaryDirectory temporary;  // cuobjdump extracts the code into files
  ProcessRequest request;
  request.command = {program_.string(), "-sass", file.string()};
  request.environment = {fmt::format("PATH={}:/usr/bin:/bin", program_.parent_path().string()), "LC_ALL=C",
                         fmt::format("TMPDIR={}", temporary.path().string())};
  request.working_directory = temporary.path();
  request.limits.wall = limits_.wall;
  request.limits.cpu = limits_.wall;
  request.limits.address_space_bytes = std::uint64_t{4} << 30;
  request.limits.file_size_bytes = std::uint64_t{1} << 30;
  request.output_limit_bytes = limits_.output_bytes;
  if (sandbox_ != nullptr) {
    SandboxPolicy policy;
    policy.readable = tool_paths(program_.string());
    policy.readable.push_back(program_.parent_path() / "nvdisasm");
    policy.readable.push_back(file);
    policy.writable = {temporary.path()};
    policy.starts_programs = true;  // and it needs its /proc
    policy.memory_bytes = request.limits.address_space_bytes;
    request.command = sandbox_->wrap(policy, request.command);
  }
  const auto outcome = run_process(request);
  if (!outcome) return outcome.errors();
  if (outcome->timed_out || outcome->signal == SIGXCPU)
    return machine_error(fmt::format("cuobjdump took longer than {} s", limits_.wall.count()));
  if (outcome->output_truncated)
    return machine_error(fmt::format("cuobjdump printed more than {}", format_bytes(limits_.output_bytes)));
  if (!outcome->success()) {
    // A library without GPU code has no units. cuobjdump says so, and fails.
    if (outcome->output.find("does not contain device code") != std::string::npos)
      return std::set<std::string>();
    // The message follows what was disassembled before.
    const std::string_view all = trimmed(outcome->output);
    const std::string_view last = all.substr(all.find_last_of('\n') + 1);
    return machine_error(fmt::format("cuobjdump failed: {}", printable(last.substr(0, 200))));
  }
  return matrix_units_in(outcome->output);
}

void MatrixUnits::look_at(const fs::path& file, const std::string& key) {
  if (!keys_.insert(sha256_hex(key)).second || keys_.size() > most_files) return;
  const auto disassemble = [disassembler = disassembler_, file]() -> Result<std::set<std::string>> {
    try {
      return disassembler->units_in(file);
    } catch (const std::exception& thrown) {
      return machine_error(printable_line(thrown.what()));
    }
  };
  try {
    running_.push_back(std::async(std::launch::async, disassemble).share());
  } catch (const std::exception&) {  // no thread can be started
    running_.push_back(std::async(std::launch::deferred, disassemble).share());
  }
}

void MatrixUnits::look_at_library(const fs::path& library) {
  look_at(library, "");
  has_all_ = true;
}

void MatrixUnits::look_at_extension(const fs::path& library, const std::string& request) {
  look_at(library, request);
}

void MatrixUnits::look_at_report(const std::string& report) {
  const auto kernels = kernels_in_report(report);
  has_all_ = kernels.has_value();
  for (const std::string& kernel : kernels.value_or(std::vector<std::string>())) {
    if (!kernels_) kernels_.emplace();
    const fs::path file = kernels_->path() / (sha256_hex(kernel) + ".cubin");
    // Without the file, its disassembly fails.
    if (!fs::exists(file)) static_cast<void>(write_file_atomically(file, kernel));
    look_at(file, kernel);
  }
}

MatrixUnits::Found MatrixUnits::found() const {
  if (!has_all_) return {};
  if (keys_.size() > most_files)
    return {std::nullopt, fmt::format("more than {} files were compiled", most_files)};
  std::set<std::string> all;
  for (const auto& one : running_) {
    const Result<std::set<std::string>>& units = one.get();
    if (!units) return {std::nullopt, units.error().message};
    all.insert(units->begin(), units->end());
  }
  if (all.size() > most_matrix_units)
    return {std::nullopt, fmt::format("its code has more than {} kinds", most_matrix_units)};
  return {std::vector<std::string>(all.begin(), all.end()), ""};
}

}  // namespace kgrade
