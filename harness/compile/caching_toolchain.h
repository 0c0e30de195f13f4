// A toolchain that builds nothing twice, and the keys by which it knows what it has built.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "compile/contestant_cache.h"
#include "compile/toolchain.h"

namespace kgrade {

// Identifies this program among its versions: the build ID that the linker gave it, or where it has none the
// size and time of its file.
std::string program_build_id();

// What this program adds to the keys of builds. It is not the program's version: most changes of it decide
// nothing about a library, and what does is in the keys itself (the generated unit, commands, the rewriter).
std::string program_identity();

// The SHA-256 of all that decides what a build gives: `identity` (of the toolchain and of this program), the
// generated unit, macros, and names and contents of all files that the compiler may read, relative to their
// folders: where a folder lies plays no part. Of a vendor's folders the name stands for what they hold.
// Nothing where a file cannot be read, or where they are too many to be a contestant's: that is then built
// anew each time.
std::optional<std::string> content_key(const std::string& identity, const Problem& problem,
                                       const BuildRequest& request);

// The same of an extension.
std::optional<std::string> extension_key(const std::string& identity, const ExtensionRequest& extension,
                                         const ExtensionHeaders& headers, const BuildRequest& request);

// The SHA-256 of the names and contents of all files below the folder; nothing where they cannot all be read.
std::optional<std::string> hash_of_folder(const std::filesystem::path& folder);

// Takes from the cache what it holds, and keeps in it what the other toolchain builds. Not for checked
// builds, whose places of findings name folders; and nothing that fails is kept, since a limit may have been
// to blame. A source that changes while it is built is not kept either: its key may be of what it was before.
class CachingToolchain : public Toolchain {
 public:
  // `identity` changes with everything that is in no request: program_identity(), and what the other
  // toolchain compiles with.
  CachingToolchain(std::unique_ptr<Toolchain> toolchain, ContestantCache cache, std::string identity);

  std::string describe() const override { return toolchain_->describe(); }
  std::string identity() const override { return identity_; }
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
};

}  // namespace kgrade
