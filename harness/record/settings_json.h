// The options of a sweep in its records.
#pragma once

#include "record/settings.h"
#include "record/shared_json.h"

namespace kgrade {

class SchemaDefinitions;

// Older results have true or false, from when there were only two choices.
struct RecordedBaselines {
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions&) const {
    return {{"enum", {true, false, "pytorch", "compiled"}}, {"description", "true: the usual ones."}};
  }
  static nlohmann::ordered_json written(WantedBaselines wanted) {
    if (wanted == WantedBaselines::none || wanted == WantedBaselines::usual)
      return wanted == WantedBaselines::usual;
    return to_string(wanted);
  }
};

// Writes the options that verdicts and times depend on.
template <class Archive>
void recorded_options(Archive& archive, const GradeSettings& settings) {
  grade_options(
      [&archive]<class T, class Rule>(const GradeOption& option, const T& value, const Rule&) {
        if (option.recorded == Recorded::never) return;
        if (option.recorded == Recorded::if_chosen) return archive.or_default(option.name, value);
        if constexpr (std::is_same_v<Rule, AnySeed>) {
          archive(option.name, value, unsigned_text);
        } else if constexpr (std::is_same_v<T, WantedBaselines>) {
          archive(option.name, value, RecordedBaselines{});
        } else {
          archive(option.name, value);
        }
      },
      settings);
}

}  // namespace kgrade
