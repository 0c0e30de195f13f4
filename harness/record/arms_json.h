// The JSON of what was measured on one case: the times of each arm (the reference, the baselines, the
// candidate), and the blocks in which the arms took turns. An arm's samples are one list; the list of blocks
// says in which order the arms were called in each. A reader spreads the samples over the blocks again.
#pragma once

#include "record/json_archive.h"
#include "record/record.h"

namespace kgrade {

// Writes the members "candidate", "reference", "baseline", "other_baselines" and "measurement".
void write_arms(JsonWriter& archive, const CaseRecord& c);

// Reads these members into a case without baselines. Arms that do not fit the blocks are a complaint. Reads
// samples and blocks only if the reader wants detail.
void read_arms(JsonReader& archive, CaseRecord& c);

}  // namespace kgrade
