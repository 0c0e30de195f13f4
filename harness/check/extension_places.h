// Places in the extensions of a candidate in Python: in the lines of the Python file that hold their sources.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "compile/source_places.h"

namespace kgrade {

class ExtensionPlaces : public PlaceFinder {
 public:
  // `libraries`: by the numbers that places have (device/finding_book.h), each in the folder where it was
  // built. `own`: as for Addr2line, with any build directory.
  ExtensionPlaces(const std::filesystem::path& addr2line, const std::vector<std::filesystem::path>& libraries,
                  const OwnSources& own, const std::shared_ptr<const Sandbox>& sandbox);
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override;

 private:
  std::vector<std::unique_ptr<PlaceFinder>> finders_;
};

}  // namespace kgrade
