// Everything that reads bytes which hostile code may have written, each as a function of arbitrary bytes. It
// returns 0, or throws if its reader breaks a promise; the sanitizers and the fuzzer see crashes and hangs.
// libFuzzer (tools/fuzz.sh) runs these functions, and so does fuzz_test, on inputs drawn from a fixed seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"

namespace kgrade::fuzz {

using FuzzTarget = int(const std::uint8_t* data, std::size_t size);
FuzzTarget fuzz_reply, fuzz_request;  // what a worker sends to the referee, and what is sent to a worker
FuzzTarget fuzz_frontmatter, fuzz_expression;  // a problem file, as parse_fuzzed() takes it, and a part of it
FuzzTarget fuzz_rewrite, fuzz_rewriter_answer;   // a candidate's source, and what kgrade-rewrite makes of it
FuzzTarget fuzz_addr2line, fuzz_compiler_log;    // what tools print
FuzzTarget fuzz_sanitizer_report, fuzz_profile;  // what compute-sanitizer prints, and profilers leave
FuzzTarget fuzz_worker_output;                   // what a worker printed
FuzzTarget fuzz_finding_book;                    // what a checked worker left in its memory
FuzzTarget fuzz_record, fuzz_journal;            // a line of a sweep, and a journal of a service
FuzzTarget fuzz_grade_request;                   // the body of a request to a service
FuzzTarget fuzz_front;                           // what a service's front sends to it
FuzzTarget fuzz_http;                            // a service's clients; only with Boost

// A problem file. After a form feed, which neither may contain, comes the file of the only family.
inline constexpr char between_files = '\f';
inline constexpr std::string_view fuzzed_family = "shared";
Result<Problem> parse_fuzzed(std::string_view texts);

struct Target {
  std::string_view name;
  FuzzTarget* run;
};

// All targets, under the names of their functions.
std::span<const Target> targets();

// Inputs to start with, made from the repository's own files under `source`; never empty.
std::vector<std::string> seeds(std::string_view target, const std::filesystem::path& source);

class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void promise(bool holds, const std::string& what) {
  if (!holds) throw BrokenPromise(what);
}

// Bytes as a number of decisions; zeros once they are used up.
class ByteReader {
 public:
  ByteReader(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::size_t number() {
    const std::size_t low = byte();
    return low | static_cast<std::size_t>(byte()) << 8;
  }
  // `count` bytes, with zeros where there are fewer.
  std::string bytes(std::size_t count) {
    const std::size_t there = std::min(count, rest_.size());
    std::string text(reinterpret_cast<const char*>(rest_.data()), there);
    rest_ = rest_.subspan(there);
    text.resize(count);
    return text;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace kgrade::fuzz
