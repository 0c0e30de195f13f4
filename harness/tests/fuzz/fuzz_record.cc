#include "record/record_json.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

void expect_sound_case(const CaseRecord& c) {
  promise(c.candidate().summary.median > 0 && c.tensor_bytes >= 0 && c.flops.value_or(0) >= 0,
          "costs are in range");
  for (const Speedup& speedup : c.speedups) {
    const auto& interval = speedup.ratio.interval;
    promise(speedup.ratio.ratio > 0, "a ratio is positive");
    promise(!interval || (interval->low > 0 && interval->low <= interval->high), "an interval is one");
  }
}

void expect_sound(const Record& record) {
  for (const CandidateRecord& candidate : record.candidates) {
    const auto compared = compared_cases(candidate);
    promise(record.device.measures_speed || (compared.empty() && candidate.scores.empty()),
            "no speed is read where there is none");
    for (const CaseRecord* c : compared) expect_sound_case(*c);
    for (const Score& score : candidate.scores)
      promise(score.speedup.geometric_mean > 0, "a score is positive");
  }
}

}  // namespace

int fuzz_record(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const RecordDetail detail : {RecordDetail::all, RecordDetail::results}) {
    const auto record = parse_record(text, {"fuzz.jsonl", 7, 0}, detail);
    if (!record) {
      promise(!record.errors().empty() && record.errors().size() <= 10, "there are one to ten errors");
      for (const Error& error : record.errors()) {
        promise(!error.message.empty() && !error.remedy.empty(), "an error has words and a remedy");
        promise(error.location.file == "fuzz.jsonl" && error.location.line == 7, "an error has its place");
      }
    } else if (*record) {
      expect_sound(**record);
      (void)to_text(**record);
    }
  }
  return 0;
}

}  // namespace kgrade::fuzz
