#include "measure/baselines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "base/text.h"
#include "problem/python_forms.h"
#include "record/verdict.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// In C++, with kernels apart from it, or in CUDA.
fs::path source_of(const Problem& problem, const Layout& layout) {
  const fs::path folder = Layout::reference_folder(layout.reference_source(problem)) / "cudnn";
  std::error_code ignored;
  const fs::path host = folder / (problem.slug + ".cc");
  return fs::is_regular_file(host, ignored) ? host : folder / (problem.slug + ".cu");
}

bool includes_cudnn(const fs::path& file) {
  constexpr std::string_view beginning = "#include <cudnn";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(beginning)) return true;
  }
  return false;
}

// Of the source, or of any header that it may include.
bool needs_cudnn(const fs::path& source) {
  const OwnFiles own = files_of_baseline(source);
  return std::any_of(own.files.begin(), own.files.end(), includes_cudnn);
}

constexpr std::string_view only_float32 = "baselines are for float32 only";

// The file, and what is in it.
std::optional<BaselineSource> file_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  auto text = read_text_file(file);
  if (!text) return std::nullopt;
  return BaselineSource{"", file, {}, std::move(*text)};
}

// By name: `Model` may have its arguments in another order, and other defaults.
std::string wrapping(const TorchModule& module) {
  std::vector<std::string> arguments;
  for (const ModuleArgument& argument : module.init)
    arguments.push_back(fmt::format("{0}={0}", argument.name));
  return fmt::format("import torch\n\n\nclass Model({}):\n    {}\n        super().__init__({})\n", module.wrapped,
                     init_form(module), fmt::join(arguments, ", "));
}

std::optional<BaselineSource> module_of(const Problem& problem, const Layout& layout) {
  const fs::path reference = layout.reference_source(problem);
  if (problem.has_model()) return file_of(reference);
  if (!problem.torch) return std::nullopt;
  if (auto own = file_of(Layout::reference_folder(reference) / "torch" / (problem.slug + ".py"))) return own;
  const std::string& wrapped = problem.torch->wrapped;
  if (!wrapped.starts_with("torch.nn.")) return std::nullopt;
  return BaselineSource{"", wrapped, {}, wrapping(*problem.torch)};
}

}  // namespace

std::string_view to_string(WantedBaselines wanted) {
  constexpr std::string_view words[] = {"none", "usual", "pytorch", "compiled"};
  return words[static_cast<int>(wanted)];
}

std::vector<BaselineSource> pytorch_baselines(const Problem& problem, const Layout& layout,
                                              WantedBaselines wanted, bool on_gpu) {
  if (wanted == WantedBaselines::none || (wanted == WantedBaselines::usual && !on_gpu)) return {};
  if (problem.dtype != Dtype::float32) return {};
  const auto module = module_of(problem, layout);
  if (!module) return {};
  std::vector<BaselineSource> baselines;
  const auto add = [&](std::string_view name) {
    baselines.push_back(*module);
    baselines.back().name = name;
  };
  if (!problem.has_model()) add(eager_baseline);
  add("pytorch-tf32");
  if (wanted != WantedBaselines::compiled || !on_gpu) return baselines;
  for (const char* const name : {"pytorch-compile-fp32", "pytorch-compile-tf32"}) add(name);
  return baselines;
}

std::string why_no_pytorch_baselines(const Problem& problem, const Layout& layout, WantedBaselines wanted,
                                     bool on_gpu) {
  if (!module_of(problem, layout)) return "";
  if (problem.dtype != Dtype::float32) return std::string(only_float32);
  if (on_gpu) return "";
  if (wanted == WantedBaselines::compiled) return "torch.compile is compared on a GPU only";
  return wanted == WantedBaselines::usual ? "PyTorch's times say nothing without a GPU" : "";
}

std::vector<fs::path> kernels_of_baseline(const fs::path& source) {
  const fs::path kernels = source.parent_path() / "baseline" / "kernels.cu";
  std::error_code ignored;
  if (source.extension() != ".cc" || !fs::is_regular_file(kernels, ignored)) return {};
  return {kernels};
}

OwnFiles files_of_baseline(const fs::path& source) {
  OwnFiles own = own_files(source);
  for (fs::path& kernels : kernels_of_baseline(own.files.front())) own.files.push_back(std::move(kernels));
  return own;
}

bool has_baseline_source(const Problem& problem, const Layout& layout) {
  std::error_code ignored;
  return fs::is_regular_file(source_of(problem, layout), ignored);
}

std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu) {
  const fs::path source = source_of(problem, layout);
  if (!has_baseline_source(problem, layout)) return "no baseline for this problem";
  if (problem.dtype != Dtype::float32) return std::string(only_float32);
  const bool calls_cudnn = needs_cudnn(source);
  if (calls_cudnn && !on_gpu) return "cuDNN needs a GPU";
  if (source.extension() == ".cc" && !on_gpu) return "a baseline in C++ needs a GPU";
  return !calls_cudnn || layout.has_cudnn() ? "" : "cuDNN was not found when kgrade was configured";
}

std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu) {
  if (!why_no_baselines(problem, layout, on_gpu).empty()) return {};
  const fs::path source = source_of(problem, layout);
  std::vector<BaselineSource> baselines = {{"cudnn-fp32", source, {{"KGRADE_TF32", "0"}}}};
  if (precision_from(problem.precision) > Precision::fp32)
    baselines.push_back({"cudnn-tf32", source, {{"KGRADE_TF32", "1"}}});
  return baselines;
}

}  // namespace kgrade
