#include "check/source_of_findings.h"

#include <utility>

#include "check/extension_places.h"

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

}  // namespace kgrade
