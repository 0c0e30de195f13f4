// The libraries of vendors that baselines call.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kgrade {

struct VendorLibrary {
  std::string key;     // "cudnn": the folder of its baselines in reference/, and how their names begin
  std::string name;    // "cuDNN"
  std::string remedy;  // where it is missing
  // As found when kgrade was configured; empty when it was not.
  std::string version;            // "9.19.0"
  std::filesystem::path include;  // the folder of its headers
  // Its own first, then those of the CUDA Toolkit that it needs and may not find by itself.
  std::vector<std::filesystem::path> files;

  bool is_there() const { return !include.empty() && !files.empty(); }
  std::string title() const { return version.empty() ? name : name + " " + version; }  // "cuDNN 9.19.0"
  // Whether a file of C++ includes its headers.
  bool is_included_by(const std::filesystem::path& file) const;
};

// All that are known, in the order in which their baselines are listed.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace kgrade
