// The JSON of the places that records of `kgrade check` and `kgrade profile` name.
#pragma once

#include "base/json_archive.h"
#include "check/finding.h"

namespace kgrade {

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<FindingPlace>& place) {
  archive("file", place.file, "As the user gave it.");
  archive("line", place.line, from_one);
  archive("function", place.function);
  archive("text", place.text, "The line itself.");
}

}  // namespace kgrade
