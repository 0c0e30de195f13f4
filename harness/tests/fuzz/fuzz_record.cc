#include "leaderboard/entry.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

void expect_sound_case(const EntryCase& c) {
  promise(!c.comparisons.empty(), "a case has comparisons");
  promise(c.candidate_ms > 0 && c.tensor_bytes >= 0 && c.flops.value_or(0) >= 0, "costs are in range");
  for (const SpeedComparison& comparison : c.comparisons) {
    const auto& interval = comparison.ratio.interval;
    promise(comparison.ratio.ratio > 0, "a ratio is positive");
    promise(!interval || (interval->low > 0 && interval->low <= interval->high), "an interval is one");
  }
}

}  // namespace

int fuzz_record(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = parse_entries(text, {"fuzz.jsonl", 7, 0});
  if (!entries) {
    promise(!entries.errors().empty() && entries.errors().size() <= 10, "there are one to ten errors");
    for (const Error& error : entries.errors()) {
      promise(!error.message.empty() && !error.remedy.empty(), "an error has words and a remedy");
      promise(error.location.file == "fuzz.jsonl" && error.location.line == 7, "an error has its place");
    }
    return 0;
  }
  if (!*entries) return 0;
  for (const Entry& entry : **entries) {
    promise(entry.times_are_speed || (entry.cases.empty() && entry.scores.empty()),
            "no speed is read where there is none");
    promise(entry.verdict == Verdict::accepted || entry.cases.empty(),
            "only accepted candidates have speeds");
    for (const EntryCase& c : entry.cases) expect_sound_case(c);
    for (const Score& score : entry.scores) promise(score.speedup.geometric_mean > 0, "a score is positive");
  }
  return 0;
}

}  // namespace kgrade::fuzz
