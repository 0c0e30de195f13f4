#include "check/extension_places.h"

#include <algorithm>

#include "device/finding_book.h"

namespace kgrade {

ExtensionPlaces::ExtensionPlaces(const std::filesystem::path& addr2line,
                                 const std::vector<std::filesystem::path>& libraries, const OwnSources& own,
                                 const std::shared_ptr<const Sandbox>& sandbox) {
  for (const std::filesystem::path& library : libraries) {
    OwnSources of_extension = own;
    of_extension.build_directory = library.parent_path();
    finders_.push_back(std::make_unique<Addr2line>(addr2line, library, std::move(of_extension), sandbox));
  }
}

// Looks up all places of a library at once, because each look-up starts a process.
std::vector<std::optional<SourcePlace>> ExtensionPlaces::find(const std::vector<std::uint64_t>& pcs) {
  std::vector<std::optional<SourcePlace>> places(pcs.size());
  for (std::size_t number = 0; number < finders_.size(); ++number) {
    std::vector<std::uint64_t> offsets;
    for (const std::uint64_t pc : pcs)
      offsets.push_back(library_of(pc) == number ? offset_in_library(pc) : 0);
    if (std::all_of(offsets.begin(), offsets.end(), [](std::uint64_t offset) { return offset == 0; }))
      continue;
    auto found = finders_[number]->find(offsets);
    for (std::size_t i = 0; i < pcs.size(); ++i) {
      if (found[i]) places[i] = std::move(found[i]);
    }
  }
  return places;
}

}  // namespace kgrade
