// The JSON of a candidate in one case.
#pragma once

#include "base/json_schema.h"
#include "record/record.h"

namespace kgrade {

// For a JsonWriter, a JsonReader and a SchemaWriter.
template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseRecord>& c);

// The JSON of what was measured on one case: the times of each arm (the reference, the baselines, the
// candidate), and the blocks in which the arms took turns. An arm's samples are one list; the list of blocks
// says in which order the arms were called in each. A reader spreads the samples over the blocks again.
//
// The members "candidate", "reference", "baseline", "other_baselines" and "measurement". A reader needs a
// case that has no baselines yet. It complains about arms that do not fit the blocks, and reads samples and
// blocks only if it wants detail. For a JsonWriter, a JsonReader and a SchemaWriter.
template <class Archive>
void arm_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c);

}  // namespace kgrade
