// What a check finds, whichever checker has found it: one structure, its words, the lines it quotes, and the
// list in which equal findings of several cases and passes are one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/source_places.h"
#include "device/finding_book.h"
#include "record/verdict.h"

namespace kgrade {

// A line of the candidate's own source.
struct FindingPlace {
  std::string file;  // as the user gave it
  int line = 0;
  std::string function;
  std::string text;  // the line itself, without the blanks around it

  bool is_at(const FindingPlace& other) const { return file == other.file && line == other.line; }
};

struct FindingThread {
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
};

// Threads of one block that wait at one place.
struct FindingWait {
  std::optional<FindingPlace> place;
  bool barrier = false;  // for all threads of the block; else for lanes of their warp
  std::uint32_t threads = 0;
  std::array<std::uint32_t, 3> first{};
  std::uint32_t mask = 0;  // of a warp operation
};

struct Finding {
  std::string kind;     // "race"; of what the referee found, the word of a verdict: "wrong_answer"
  std::string message;  // one sentence
  std::string remedy;
  std::optional<FindingPlace> place;
  std::optional<FindingPlace> other_place;  // of the earlier access of a race
  std::string kernel;                       // empty: host code, or not known
  std::optional<FindingThread> thread;
  std::optional<FindingThread> other_thread;
  std::vector<FindingWait> waits;
  std::uint32_t exited = 0;  // threads of that block that had returned
  std::uint64_t occurrences = 1;
  // Where it showed first, and all passes in which it shows: thread orders ("reverse"), or tools of
  // compute-sanitizer ("racecheck").
  std::string first_case;
  std::vector<std::string> passes;
};

// "out_of_bounds": as the enumerator is called.
std::string_view kind_name(FindingKind kind);

// One sentence.
std::string_view remedy_for(FindingKind kind);
std::string_view remedy_for(Verdict verdict);

// "8 bytes past the end of `input` (4096 bytes)"; `distance` as in FindingEntry.
std::string distance_text(std::int64_t distance, const std::string& object);

// "(3,0,0)".
std::string coordinates_text(const std::array<std::uint32_t, 3>& at);

// "file.cu:12", without folders.
std::string place_name(const FindingPlace& place);

// Lines of the candidate's source, to quote beside a finding.
class QuotedSource {
 public:
  // The line without the blanks around it, cut where it is too long to read; empty when there is none.
  std::string line(const std::string& file, int number);

  FindingPlace place(const SourcePlace& at) {
    return {at.file, at.line, at.function, line(at.file, at.line)};
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// The findings of one candidate: equal ones of several cases and passes are one.
class FindingList {
 public:
  // Findings of one kind at one place are equal. Races are equal at the same two places in either order,
  // findings without a place in the same kernel.
  void add(Finding finding, const std::string& case_name, const std::string& pass);

  // Those with a place first, otherwise in the order in which they were found.
  std::vector<Finding> findings() const;

 private:
  std::vector<Finding> findings_;
};

// True when something in the evidence explains what the referee saw: an illegal access behind a crash, a
// barrier that some threads never reach behind a call that does not end.
bool explains(const std::vector<Finding>& evidence, Verdict seen);

}  // namespace kgrade
