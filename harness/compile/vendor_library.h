// The vendors' libraries that baselines call.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kgrade {

struct VendorLibrary {
  std::string key;      // "cudnn": the folder of its baselines in reference/, and the prefix of their names
  std::string name;     // "cuDNN"
  std::string package;  // what is to be installed: "cuDNN 9 for the CUDA Toolkit"
  std::string option;   // of CMake, which names its folder: "-DKGRADE_CUDNN_ROOT"
  // As found when kgrade was configured. Empty if it was not found.
  std::string version;            // "9.19.0"
  std::filesystem::path include;  // the folder of its headers
  // Its own files first, then files of the CUDA Toolkit that it needs and may not find alone.
  std::vector<std::filesystem::path> files;

  // Whether it was found, and its files are still there: a wheel runs on other machines than the one that
  // built it.
  bool is_there() const { return absence().empty(); }
  // "cuDNN was not found when kgrade was configured", or empty if it is there.
  std::string absence() const;
  // What helps if it is missing.
  std::string remedy() const;
  std::string title() const { return version.empty() ? name : name + " " + version; }  // "cuDNN 9.19.0"
  // Whether a C++ file includes its headers.
  bool is_included_by(const std::filesystem::path& file) const;
};

// All known libraries, in the order in which their baselines are listed.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace kgrade
