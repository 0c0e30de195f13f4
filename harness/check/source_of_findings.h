// A candidate's source, as findings name and quote it.
#pragma once

#include <filesystem>
#include <memory>

#include "check/finding.h"
#include "compile/candidate_source.h"
#include "compile/layout.h"
#include "contest/contest.h"
#include "sandbox/sandbox.h"

namespace kgrade {

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
