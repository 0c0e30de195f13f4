#include "measure/baselines.h"

#include <algorithm>
#include <fstream>
#include <string_view>

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

}  // namespace

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

std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu) {
  const fs::path source = source_of(problem, layout);
  std::error_code ignored;
  if (!fs::is_regular_file(source, ignored)) return "no baseline for this problem";
  if (problem.dtype != Dtype::float32) return "baselines are for float32 only";
  const bool calls_cudnn = needs_cudnn(source);
  if (calls_cudnn && !on_gpu) return "cuDNN needs a GPU";
  if (source.extension() == ".cc" && !on_gpu) return "a baseline in C++ needs a GPU";
  return !calls_cudnn || layout.has_cudnn() ? "" : "cuDNN was not found when kgrade was configured";
}

std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu) {
  if (!why_no_baselines(problem, layout, on_gpu).empty()) return {};
  const fs::path source = source_of(problem, layout);
  std::vector<BaselineSource> baselines = {{"cudnn-fp32", source, {{"KGRADE_TF32", "0"}}}};
  if (precision_from(problem.precision) != Precision::fp32)
    baselines.push_back({"cudnn-tf32", source, {{"KGRADE_TF32", "1"}}});
  return baselines;
}

}  // namespace kgrade
