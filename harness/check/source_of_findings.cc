#include "check/source_of_findings.h"

#include <algorithm>
#include <utility>

#include "device/finding_book.h"

namespace kgrade {

SourceOfFindings::SourceOfFindings(std::filesystem::path addr2line, const CandidateSource& source,
                                   const std::filesystem::path& folder, const std::filesystem::path& library,
                                   const Layout& layout, std::shared_ptr<const Sandbox> sandbox)
    : addr2line_(std::move(addr2line)),
      sandbox_(std::move(sandbox)),
      is_python_(source.is_python()),
      own_{std::filesystem::absolute(source.path), source.path.string(), folder} {
  if (is_python_) own_.foreign = layout.python;
  if (!addr2line_.empty() && !is_python_)
    finder_ = std::make_unique<Addr2line>(addr2line_, library, own_, sandbox_);
}

PlaceFinder* SourceOfFindings::finder(const Evidence& evidence) {
  if (!addr2line_.empty() && is_python_)
    finder_ = std::make_unique<ExtensionPlaces>(addr2line_, evidence.extensions, own_, sandbox_);
  return finder_.get();
}

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
