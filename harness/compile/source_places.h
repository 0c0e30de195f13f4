// From an offset in a contestant's library to the line of the candidate's own source.
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
  std::string function;  // demangled; empty when it is not known

  bool operator==(const SourcePlace&) const = default;
};

// Which of the files that a compiler names are the candidate's: its source and the headers that came with it,
// not those of a device or of a compiler.
struct OwnSources {
  std::filesystem::path source;           // absolute
  std::string shown_as;                   // the source's path as the user gave it
  std::filesystem::path build_directory;  // where the compiler ran: relative names are joined with it
  std::filesystem::path foreign = {};     // a folder with headers that are kgrade's own, wherever it lies

  // The name by which the user knows a file that the compiler names `compiled`; nothing for a foreign one.
  std::optional<std::string> shown_name(const std::string& compiled) const;
};

// What addr2line(1) calls a frame; innermost first when calls were inlined.
struct InlinedFrame {
  std::string function;
  std::string file;
  int line = 0;
};

// Of the output of `addr2line -a -f -C -i`: the frames of each address, in the order in which they were
// asked.
std::vector<std::vector<InlinedFrame>> parse_addr2line(const std::string& output);

// The innermost frame in a file of the candidate's own.
std::optional<SourcePlace> own_place(const std::vector<InlinedFrame>& frames, const OwnSources& own);

// The seam: tests have a fake.
class PlaceFinder {
 public:
  virtual ~PlaceFinder() = default;
  // Of return addresses, as offsets in the library: where the calls before them are. One result an address.
  virtual std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) = 0;
};

// By addr2line of the binutils, started once for every list of new addresses. The library is a candidate's:
// its debug information may be anything, and may name other files to be read. With a sandbox nothing else is
// there.
class Addr2line : public PlaceFinder {
 public:
  // An Error with the package to install when there is no such program.
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
