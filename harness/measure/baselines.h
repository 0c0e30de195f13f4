// Which baselines a problem has, of two kinds.
//
// Contestants that call a vendor's library (compile/vendor_library.h), kept beside its reference as
// cudnn/<slug>.cc or cublas/<slug>.cc and built once for each class of arithmetic. What all of them share is
// in vendor/, with the kernels in vendor/kernels.cu, since nvcc reads the headers of a .cu file three times
// over, and all candidates wait for it. A cudnn/<slug>.cu, with its own kernels in it, does as well.
//
// A module of PyTorch: the Model of a problem that is a Python file, torch/<slug>.py beside the reference, or
// what the problem's `torch` section wraps (`module: torch.nn.Conv2d`, called by the names of its arguments).
// It runs in both classes, eager and compiled.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/layout.h"
#include "compile/own_files.h"
#include "problem/problem.h"

namespace kgrade {

struct BaselineSource {
  std::string name;                            // "cudnn-fp32", "pytorch-tf32"
  std::filesystem::path source;                // of a wrapped module its name, which is no file
  std::map<std::string, std::string> defines;  // KGRADE_TF32=0: no tensor cores
  std::string module = {};  // the text of a Python file with the Model that it is; empty: it is C++
  std::string library = {};  // that it calls: "cuDNN 9.19.0"; empty: none

  bool is_module() const { return !module.empty(); }
};

// Which ones a user wants.
enum class WantedBaselines {
  none,
  usual,     // a vendor's and PyTorch's, where times are speed and there is time for them
  pytorch,   // the same wherever they run: to try them
  compiled,  // and those of torch.compile
};
std::string_view to_string(WantedBaselines wanted);  // "compiled"

// "cudnn-fp32", and "cudnn-tf32" where the problem requires no better class: elsewhere no accepted candidate
// could be compared with it, and it takes seconds to build and to search its plans. The same of every library
// that has a source for the problem. why_no_baselines() says why some are left out. A baseline whose source
// includes a library's headers needs that library and a GPU. Tests have baselines that do not.
std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu = true);

// The files with kernels that are built beside a baseline; and all that it is made of, those last.
std::vector<std::filesystem::path> kernels_of_baseline(const std::filesystem::path& source);
OwnFiles files_of_baseline(const std::filesystem::path& source);

// The library in whose folder a baseline is; null: in none.
const VendorLibrary* library_of_baseline(const std::filesystem::path& source, const Layout& layout);

// "cuDNN was not found when kgrade was configured"; empty where none is left out.
std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu = true);
// Whether the problem has a vendor's at all.
bool has_baseline_source(const Problem& problem, const Layout& layout);

// "pytorch-fp32", which of a problem that is a file is the reference itself and not listed, "pytorch-tf32" in
// any case, since published speedups are against it too, and those of torch.compile. They need a GPU, unless
// `wanted` says otherwise, and torch.compile needs one always.
std::vector<BaselineSource> pytorch_baselines(const Problem& problem, const Layout& layout,
                                              WantedBaselines wanted, bool on_gpu);
// Why some of them are left out, for the record; empty where none is, or where PyTorch cannot state the
// problem.
std::string why_no_pytorch_baselines(const Problem& problem, const Layout& layout, WantedBaselines wanted,
                                     bool on_gpu);

// What pytorch-fp32 is called where it is the reference.
inline constexpr std::string_view eager_baseline = "pytorch-fp32";

}  // namespace kgrade
