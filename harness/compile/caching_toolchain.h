// A toolchain that builds nothing twice, and the keys of its cache.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "compile/contestant_cache.h"
#include "compile/toolchain.h"

namespace kgrade {

// Identifies this build of the program: the linker's build ID, or else the size and time of the program's
// file.
std::string program_build_id();

// The part of every key that identifies this program. It is not the program's version, because most changes
// of the program do not affect libraries. The keys contain the parts that affect libraries: the generated
// unit, the commands and the rewriter.
std::string program_identity();

// The key of an extension: the SHA-256 of everything that affects its build. Nothing if a file cannot be
// read, or if there are too many files.
std::optional<std::string> extension_key(const std::string& identity, const ExtensionRequest& extension,
                                         const ExtensionHeaders& headers, const BuildRequest& request);

// The SHA-256 of the names and contents of all files below the folder. Nothing if a file cannot be read.
std::optional<std::string> hash_of_folder(const std::filesystem::path& folder);

// Whether failed builds are kept. They are kept only between processes that work together: one builds ahead,
// and another one grades.
enum class FailedBuilds {
  are_forgotten,  // a user may have installed what was missing
  // They are kept for some minutes, so that a failing compiler need not run again in the process that grades.
  // A failure is not kept if the machine or a limit of elapsed time may be to blame.
  are_kept,
};

// Takes contestants from the cache, or has another toolchain build them and keeps the results. Checked builds
// are cached if the toolchain allows it. Their keys include the place of the candidate, because findings name
// it. A source that changes while it is built is not kept, because its key may belong to the old text.
class CachingToolchain : public Toolchain {
 public:
  // `identity` covers everything that is not in a request: program_identity() and the identity of
  // `toolchain`.
  CachingToolchain(std::unique_ptr<Toolchain> toolchain, ContestantCache cache, std::string identity,
                   FailedBuilds failed = FailedBuilds::are_forgotten);

  std::string describe() const override { return toolchain_->describe(); }
  std::string identity() const override { return identity_; }
  std::filesystem::path cuda_toolkit() const override { return toolchain_->cuda_toolkit(); }
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override;
  Result<BuildOutcome> build_extension(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                       const BuildRequest& request) const override;

 private:
  using MakeKey = std::function<std::optional<std::string>()>;
  using Build = std::function<Result<BuildOutcome>()>;
  Result<BuildOutcome> take_or_build(const BuildRequest& request, const MakeKey& make_key,
                                     const Build& build) const;
  std::optional<BuildOutcome> take(const std::string& key, const BuildRequest& request) const;
  void keep(const std::string& key, const BuildRequest& request, const BuildOutcome& outcome) const;

  std::unique_ptr<Toolchain> toolchain_;
  ContestantCache cache_;
  std::string identity_;
  FailedBuilds failed_;
};

}  // namespace kgrade
