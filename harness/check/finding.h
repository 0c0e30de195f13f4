// A finding of `kgrade check`, from any checker: its structure, its words, the source lines that it quotes,
// and the list that merges equal findings of several cases and passes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_archive.h"
#include "compile/source_places.h"
#include "device/finding_book.h"
#include "record/verdict.h"

namespace kgrade {

// A line of the candidate's own source.
struct FindingPlace {
  std::string file;  // as the user gave it
  int line = 0;
  std::string function;
  std::string text;  // the line itself, trimmed

  bool is_at(const FindingPlace& other) const { return file == other.file && line == other.line; }
};

struct FindingThread {
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
};

// Threads of one block that wait at one place.
struct FindingWait {
  std::optional<FindingPlace> place;
  bool barrier = false;  // true: for all threads of the block; false: for lanes of a warp
  std::uint32_t threads = 0;
  std::array<std::uint32_t, 3> first{};
  std::uint32_t mask = 0;  // of a warp operation
};

struct Finding {
  std::string kind;     // "race", or for the referee's findings a verdict: "wrong_answer"
  std::string message;  // one sentence
  std::string remedy;
  std::optional<FindingPlace> place;
  std::optional<FindingPlace> other_place;  // for a race: of the earlier access
  std::string kernel;                       // empty: host code, or unknown
  std::optional<FindingThread> thread;
  std::optional<FindingThread> other_thread;
  std::vector<FindingWait> waits;
  std::uint32_t exited = 0;  // threads of the block that had returned
  bool faults = false;       // every GPU ends with an error there, and not only with a wrong value
  std::uint64_t occurrences = 1;
  // The first case with the finding, and all passes with it: thread orders ("reverse"), or tools of
  // compute-sanitizer ("racecheck").
  std::string first_case;
  std::vector<std::string> passes;
};

// The enumerator's name: "out_of_bounds".
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

// Reads lines of the candidate's source, to quote them in findings.
class QuotedSource {
 public:
  // The trimmed line, cut if it is too long to read. Empty if there is no such line.
  std::string line(const std::string& file, int number);

  FindingPlace place(const SourcePlace& at) {
    return {at.file, at.line, at.function, line(at.file, at.line)};
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// The findings of one candidate. Equal findings of several cases and passes are merged.
class FindingList {
 public:
  // Findings are equal if they have the same kind and place. Races are equal at the same two places in either
  // order. Findings without a place are equal in the same kernel.
  void add(Finding finding, const std::string& case_name, const std::string& pass);

  // Findings with a place come first. Among those, causes (wrong addresses, barriers that threads miss) come
  // before what may follow from them, such as races. Otherwise the order in which they were found.
  std::vector<Finding> findings() const;

 private:
  std::vector<Finding> findings_;
};

// Whether the evidence explains what the referee saw. For example, an illegal access explains a crash, and a
// barrier that some threads never reach explains a call that does not end.
bool explains(const std::vector<Finding>& evidence, Verdict seen);

// The JSON of the places that records of `kgrade check` and `kgrade profile` name.
template <class Archive>
void fields(Archive& archive, typename Archive::template Value<FindingPlace>& place) {
  archive("file", place.file, "As the user gave it.");
  archive("line", place.line, from_one);
  archive("function", place.function);
  archive("text", place.text, "The line itself.");
}

}  // namespace kgrade
