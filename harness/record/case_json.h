// The JSON of a candidate in one case.
#pragma once

#include "base/json_schema.h"
#include "record/record.h"

namespace kgrade {

// For a JsonWriter, a JsonReader and a SchemaWriter.
template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseRecord>& c);

}  // namespace kgrade
