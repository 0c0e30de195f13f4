// The baselines of a problem, of two kinds.
//
// Contestants that call a vendor's library (compile/layout.h). They are beside the problem's
// reference, as cudnn/<slug>.cc or cublas/<slug>.cc, and are built once for each class of arithmetic. Code
// that they share is in vendor/, with the kernels in vendor/kernels.cu, because nvcc reads the headers of a
// .cu file three times, and all candidates wait for it. A cudnn/<slug>.cu with its own kernels works as well.
//
// Modules of PyTorch: the Model of a problem that is a Python file, torch/<slug>.py beside the reference, or
// the module that the problem's `torch` section wraps (`module: torch.nn.Conv2d`, called by the names of its
// arguments). A module runs in both classes, eager and compiled.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/layout.h"
#include "compile/own_files.h"
#include "problem/problem.h"
#include "record/speed.h"

namespace kgrade {

struct BaselineSource {
  std::string name;                            // "cudnn-fp32", "pytorch-tf32"
  std::filesystem::path source;                // for a wrapped module its name, which is not a file
  std::map<std::string, std::string> defines;  // KGRADE_TF32=0: no tensor cores
  std::string module = {};                     // text of the Python file with its Model; empty: it is C++
  std::string library = {};                    // that it calls: "cuDNN 9.19.0"; empty: none

  bool is_module() const { return !module.empty(); }
};

// The baselines that call a vendor's library: "cudnn-fp32", and "cudnn-tf32" unless the problem requires a
// better class. In that case no accepted candidate could be compared with "cudnn-tf32", which takes seconds
// to build and to search its plans. Every library with a source for the problem gives such baselines.
// why_no_baselines() says why some are left out. A baseline whose source includes a library's headers needs
// this library and a GPU. Tests have baselines that need neither.
std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu = true);

// The kernel files that are built beside a baseline; and all its files, kernel files last.
std::vector<std::filesystem::path> kernels_of_baseline(const std::filesystem::path& source);
OwnFiles files_of_baseline(const std::filesystem::path& source);

// The library in whose folder a baseline is; null if it is in none.
const VendorLibrary* library_of_baseline(const std::filesystem::path& source, const Layout& layout);

// "cuDNN was not found when kgrade was configured"; empty if none is left out.
std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu = true);
// Whether the problem has any baseline of a vendor's library.
bool has_baseline_source(const Problem& problem, const Layout& layout);

// The baselines in PyTorch: "pytorch-fp32" (except for a problem that is a file, where it is the reference),
// "pytorch-tf32" in any case, since published speedups are against it too, and those of torch.compile. They
// need a GPU, unless `wanted` says otherwise; torch.compile always needs one.
std::vector<BaselineSource> pytorch_baselines(const Problem& problem, const Layout& layout,
                                              WantedBaselines wanted, bool on_gpu);
// Why some baselines in PyTorch are left out, for the record. Empty if none is, or if PyTorch cannot state
// the problem.
std::string why_no_pytorch_baselines(const Problem& problem, const Layout& layout, WantedBaselines wanted,
                                     bool on_gpu);

// The name of pytorch-fp32 where it is the reference.
inline constexpr std::string_view eager_baseline = "pytorch-fp32";

}  // namespace kgrade
