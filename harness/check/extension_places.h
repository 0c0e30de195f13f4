// Finds places in the extensions of a candidate in Python: lines of the Python file that contains their
// sources.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "compile/source_places.h"

namespace kgrade {

class ExtensionPlaces : public PlaceFinder {
 public:
  // `libraries` are indexed by the library numbers in places (device/finding_book.h). Each lies in the folder
  // where it was built. `own` is as for Addr2line, but its build directory is ignored.
  ExtensionPlaces(const std::filesystem::path& addr2line, const std::vector<std::filesystem::path>& libraries,
                  const OwnSources& own, const std::shared_ptr<const Sandbox>& sandbox);
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override;

 private:
  std::vector<std::unique_ptr<PlaceFinder>> finders_;
};

}  // namespace kgrade
