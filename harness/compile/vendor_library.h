// The vendors' libraries that baselines call.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kgrade {

struct VendorLibrary {
  std::string key;      // "cudnn": the folder of its baselines in reference/, and the prefix of their names
  std::string name;     // "cuDNN"
  std::string package;  // what a user should install: "cuDNN 9 for the CUDA Toolkit"
  std::string option;   // CMake's option for the library's folder: "-DKGRADE_CUDNN_ROOT"
  // The members below are found when kgrade is configured. They are empty if the library was not found.
  std::string version;            // "9.19.0"
  std::filesystem::path include;  // the folder of its headers
  // The library's own files, then files of the CUDA Toolkit that it needs and might not find on its own.
  std::vector<std::filesystem::path> files;

  // Whether the library was found and its files are still there. They may be missing, because a wheel may run
  // on another machine than the one that built it.
  bool is_there() const { return absence().empty(); }
  // "cuDNN was not found when kgrade was configured", or empty if it is there.
  std::string absence() const;
  // What a user should do if the library is missing.
  std::string remedy() const;
  std::string title() const { return version.empty() ? name : name + " " + version; }  // "cuDNN 9.19.0"
  // Whether a C++ file includes its headers.
  bool is_included_by(const std::filesystem::path& file) const;
};

// All known libraries, in the order in which their baselines are listed.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace kgrade
