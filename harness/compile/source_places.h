// Maps offsets in a contestant's library to lines of the candidate's own source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/sandbox.h"

namespace kgrade {

struct SourcePlace {
  std::string file;  // as the user knows it
  int line = 0;
  std::string function;  // demangled; empty if unknown

  bool operator==(const SourcePlace&) const = default;
};

// The compiler's working folder, as the debug information of a checked build for host code names it.
inline constexpr const char* checked_build_folder = "/kgrade-build";

// Recognises the candidate's own files among the files that a compiler names: its source and its headers, but
// not headers of a device or a compiler.
struct OwnSources {
  std::filesystem::path source;  // absolute
  std::string shown_as;          // the source's path as the user gave it
  // The folder in which the compiler ran, which is the base of relative names. A build that may be cached
  // names checked_build_folder instead.
  std::filesystem::path build_directory;
  std::filesystem::path foreign = {};  // a folder with kgrade's own headers

  // The user's name of a file that the compiler calls `compiled`. Nothing for a foreign file.
  std::optional<std::string> shown_name(const std::string& compiled) const;
};

// A frame as in addr2line(1). Inlined calls have several frames, innermost first.
struct InlinedFrame {
  std::string function;
  std::string file;
  int line = 0;
};

// Reads the output of `addr2line -a -f -C -i`: the frames of each address, in the order of the request.
std::vector<std::vector<InlinedFrame>> parse_addr2line(const std::string& output);

// The place of the innermost frame in a file of the candidate's own.
std::optional<SourcePlace> own_place(const std::vector<InlinedFrame>& frames, const OwnSources& own);

// An interface, so that tests can use a fake.
class PlaceFinder {
 public:
  virtual ~PlaceFinder() = default;
  // The places of calls, given their return addresses as offsets in the library. One result per address.
  virtual std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) = 0;
};

// Uses addr2line of the binutils, which is started once for each list of new addresses. The library is a
// candidate's, and its hostile debug information may name other files to be read. In the sandbox there are no
// other files.
class Addr2line : public PlaceFinder {
 public:
  // If the program is missing, an Error names the package to install.
  static Result<std::filesystem::path> find_program();

  Addr2line(std::filesystem::path program, std::filesystem::path library, OwnSources own,
            std::shared_ptr<const Sandbox> sandbox = nullptr)
      : program_(std::move(program)),
        library_(std::move(library)),
        own_(std::move(own)),
        sandbox_(std::move(sandbox)) {}
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override;

 private:
  void look_up(const std::vector<std::uint64_t>& pcs);

  std::filesystem::path program_;
  std::filesystem::path library_;
  OwnSources own_;
  std::shared_ptr<const Sandbox> sandbox_;
  std::map<std::uint64_t, std::optional<SourcePlace>> known_;
};

}  // namespace kgrade
