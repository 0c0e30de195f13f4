// A candidate's source, as findings name and quote it.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "check/finding.h"
#include "compile/candidate_source.h"
#include "compile/layout.h"
#include "compile/source_places.h"
#include "contest/contest.h"
#include "sandbox/sandbox.h"

namespace kgrade {
// Finds places in the extensions of a candidate in Python: lines of the Python file that contains their
// sources.
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

class SourceOfFindings {
 public:
  // `addr2line` is the program; empty: findings have no lines. `library` is what was built in `folder`.
  SourceOfFindings(std::filesystem::path addr2line, const CandidateSource& source,
                   const std::filesystem::path& folder, const std::filesystem::path& library,
                   const Layout& layout, std::shared_ptr<const Sandbox> sandbox);

  // Null without addr2line. Valid until the next call.
  PlaceFinder* finder(const Evidence& evidence);
  QuotedSource& quoted() { return quoted_; }
  const OwnSources& own() const { return own_; }

 private:
  std::filesystem::path addr2line_;
  std::shared_ptr<const Sandbox> sandbox_;
  bool is_python_;
  OwnSources own_;
  std::unique_ptr<PlaceFinder> finder_;
  QuotedSource quoted_;
};

}  // namespace kgrade
