#include "compile/vendor_library.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace kgrade {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> paths_of(const std::string& joined) {
  std::vector<fs::path> paths;
  std::istringstream stream(joined);
  for (std::string path; std::getline(stream, path, ':');) paths.emplace_back(path);
  return paths;
}

}  // namespace

std::string VendorLibrary::absence() const {
  if (include.empty() || files.empty()) return name + " was not found when kgrade was configured";
  std::vector<fs::path> needed = files;
  needed.push_back(include);
  for (const fs::path& path : needed) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      return fmt::format("kgrade was built with {}, which this machine lacks", path.string());
  }
  return "";
}

std::string VendorLibrary::remedy() const {
  const std::string build = fmt::format(
      "build kgrade from its source where {} is installed (or name its folder with {}=...)", package, option);
  if (include.empty() || files.empty()) return build;
  return fmt::format("install {} in that folder, or {}", package, build);
}

bool VendorLibrary::is_included_by(const fs::path& file) const {
  const std::string beginning = "#include <" + key;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(beginning)) return true;
  }
  return false;
}

std::vector<VendorLibrary> vendor_libraries() {
  return {{"cudnn", "cuDNN", "cuDNN 9 for the CUDA Toolkit", "-DKGRADE_CUDNN_ROOT", KGRADE_CUDNN_VERSION,
           KGRADE_CUDNN_INCLUDE, paths_of(KGRADE_CUDNN_FILES)},
          {"cublas", "cuBLAS", "the CUDA Toolkit's cuBLAS", "-DKGRADE_CUBLAS_ROOT", KGRADE_CUBLAS_VERSION,
           KGRADE_CUBLAS_INCLUDE, paths_of(KGRADE_CUBLAS_FILES)}};
}

}  // namespace kgrade
