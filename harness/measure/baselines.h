// Which baselines a problem has: contestants that call a vendor's library, kept beside its reference as
// cudnn/<slug>.cc and built once for each class of arithmetic. Their kernels are in
// cudnn/baseline/kernels.cu, since nvcc reads the headers of a .cu file three times over, and all candidates
// wait for it. A cudnn/<slug>.cu, with its own kernels in it, does as well.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compile/layout.h"
#include "compile/own_files.h"
#include "problem/problem.h"

namespace kgrade {

struct BaselineSource {
  std::string name;  // "cudnn-fp32"
  std::filesystem::path source;
  std::map<std::string, std::string> defines;  // KGRADE_TF32=0: no tensor cores
};

// "cudnn-fp32", and "cudnn-tf32" where the problem requires no better class: elsewhere no accepted candidate
// could be compared with it, and it takes seconds to build and to search its plans. Or none; then
// why_no_baselines() says why. A baseline whose source includes cuDNN's headers needs cuDNN and a GPU. Tests
// have baselines that do not.
std::vector<BaselineSource> baselines_of(const Problem& problem, const Layout& layout, bool on_gpu = true);

// The files with kernels that are built beside a baseline; and all that it is made of, those last.
std::vector<std::filesystem::path> kernels_of_baseline(const std::filesystem::path& source);
OwnFiles files_of_baseline(const std::filesystem::path& source);

// "cuDNN was not found when kgrade was configured"; empty where there are baselines.
std::string why_no_baselines(const Problem& problem, const Layout& layout, bool on_gpu = true);

}  // namespace kgrade
