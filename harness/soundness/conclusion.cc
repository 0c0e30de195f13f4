#include <fmt/format.h>

#include "record/verdict.h"
#include "soundness/case_soundness.h"

namespace kgrade {

void conclude(SoundnessSession& session) {
  if (session.cases == 0) return;
  for (const std::string& name : session.ignored) {
    if (!session.varied.contains(name)) continue;
    session.book.add("unused-parameter",
                     fmt::format("the parameter '{}' changes no output on any case", name),
                     "remove it, or use it in the reference");
  }
  if (session.errors.count() == 0) return;
  if (auto overlap = why_not_separate(session.errors.root_mean_square())) {
    session.book.add("classes-overlap", overlap->message, overlap->remedy);
    return;
  }
  const Precision asked = precision_from(session.problem.precision);
  if (asked >= Precision::bf16 || session.lower_class_refused) return;
  const std::string_view lower = asked == Precision::fp32 ? "TF32" : "bf16";
  session.book.add(
      "lower-class-passes",
      fmt::format("an answer of {} arithmetic is accepted as {} on every case: its error is {:.1e} "
                  "at most",
                  lower, session.problem.precision, session.lower_class_error),
      "tighten `thresholds`: `kgrade calibrate` measures where they belong");
}

}  // namespace kgrade
