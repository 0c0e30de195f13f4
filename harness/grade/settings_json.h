// How settings of a grade are written in JSON.
#pragma once

#include "grade/settings.h"
#include "record/json_archive.h"
#include "record/shared_json.h"

namespace kgrade {

template <>
inline constexpr int count_of_values<WantedBaselines> = 4;

}  // namespace kgrade
