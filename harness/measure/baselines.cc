#include "measure/baselines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "problem/python_forms.h"
#include "record/verdict.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// A problem's baseline of one library.
struct Found {
  fs::path source;
  const VendorLibrary* library;
};

// The source of each library's baseline for the problem. It is a C++ file, whose kernels are in another file
// (kernels_of_baseline()), or else a CUDA file.
std::vector<Found> sources_of(const Problem& problem, const Layout& layout) {
  const fs::path reference = Layout::reference_folder(layout.reference_source(problem));
  std::vector<Found> found;
  for (const VendorLibrary& library : layout.libraries) {
    for (const char* const kind : {".cc", ".cu"}) {
      std::error_code ignored;
      const fs::path source = reference / library.key / (problem.source_slug() + kind);
      if (!fs::is_regular_file(source, ignored)) continue;
      found.push_back({source, &library});
      break;
    }
  }
  return found;
}

// Whether the source, or any header that it may include, includes the library's headers.
bool needs_library(const Found& one) {
  const OwnFiles own = files_of_baseline(one.source);
  return std::any_of(own.files.begin(), own.files.end(),
                     [&](const fs::path& file) { return one.library->is_included_by(file); });
}

std::string why_not(const Found& one, bool on_gpu) {
  const bool calls_library = needs_library(one);
  if (calls_library && !on_gpu) return one.library->name + " needs a GPU";
  if (one.source.extension() == ".cc" && !on_gpu) return "a baseline in C++ needs a GPU";
  return calls_library ? one.library->absence() : "";
}

constexpr std::string_view only_float32 = "baselines are for float32 only";

// The baseline in a file, with the file's text. Nothing if there is no such file or it cannot be read.
std::optional<BaselineSource> file_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  auto text = read_text_file(file);
  if (!text) return std::nullopt;
  return BaselineSource{"", file, {}, std::move(*text), {}};
}

std::optional<BaselineSource> module_of(const Problem& problem, const Layout& layout) {
  const fs::path reference = layout.reference_source(problem);
  if (problem.has_model()) return file_of(reference);
  if (!problem.torch) return std::nullopt;
  if (auto own = file_of(Layout::reference_folder(reference) / "torch" / (problem.source_slug() + ".py")))
    return own;
  const std::string& wrapped = problem.torch->wrapped;
  if (!wrapped.starts_with("torch.nn.")) return std::nullopt;
  // A file whose `Model` is derived from a module of PyTorch. Arguments are passed by name, because the
  // module may take them in another order and with other defaults.
  std::vector<std::string> arguments;
  for (const ModuleArgument& argument : problem.torch->init)
    arguments.push_back(fmt::format("{0}={0}", argument.name));
  const std::string text =
      fmt::format("import torch\n\n\nclass Model({}):\n    {}\n        super().__init__({})\n", wrapped,
                  init_form(*problem.torch), fmt::join(arguments, ", "));
  return BaselineSource{"", wrapped, {}, text, {}};
}

}  // namespace

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
  const fs::path kernels = source.parent_path().parent_path() / "vendor" / "kernels.cu";
  std::error_code ignored;
  if (source.extension() != ".cc" || !fs::is_regular_file(kernels, ignored)) return {};
  return {kernels};
}

OwnFiles files_of_baseline(const fs::path& source) {
  OwnFiles own = own_files(source);
  for (const fs::path& kernels : kernels_of_baseline(own.files.front())) {
    OwnFiles shared = own_files(kernels);
    std::move(shared.files.begin(), shared.files.end(), std::back_inserter(own.files));
  }
  return own;
}

const VendorLibrary* library_of_baseline(const fs::path& source, const Layout& layout) {
  const std::string folder = source.parent_path().filename().string();
  const auto found = std::find_if(layout.libraries.begin(), layout.libraries.end(),
                                  [&](const VendorLibrary& library) { return library.key == folder; });
  return found == layout.libraries.end() ? nullptr : &*found;
}

bool has_baseline_source(const Problem& problem, const Layout& layout) {
  return !sources_of(problem, layout).empty();
}

std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu) {
  const std::vector<Found> sources = sources_of(problem, layout);
  if (sources.empty()) return "no baseline for this problem";
  if (problem.dtype != Dtype::float32) return std::string(only_float32);
  std::vector<std::string> reasons;
  for (const Found& one : sources) {
    const std::string reason = why_not(one, on_gpu);
    if (!reason.empty()) reasons.push_back(reason);
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu) {
  if (problem.dtype != Dtype::float32) return {};
  std::vector<BaselineSource> baselines;
  for (const Found& one : sources_of(problem, layout)) {
    if (!why_not(one, on_gpu).empty()) continue;
    const std::string library = needs_library(one) ? one.library->title() : "";
    baselines.push_back({one.library->key + "-fp32", one.source, {{"KGRADE_TF32", "0"}}, {}, library});
    if (precision_from(problem.precision) > Precision::fp32)
      baselines.push_back({one.library->key + "-tf32", one.source, {{"KGRADE_TF32", "1"}}, {}, library});
  }
  return baselines;
}

}  // namespace kgrade
