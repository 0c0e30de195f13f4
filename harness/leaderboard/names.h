// What candidates are called on a leaderboard: the same on every machine.
#pragma once

#include <vector>

#include "record/record.h"

namespace kgrade {

// Gives each record a path that does not tell where the machine keeps its files. One below the working folder
// of the run stays as it is, in its shortest form. Any other ends at the folder that is called like the
// problem:
// "/srv/me/solutions/scale/fast.cu" is "solutions/scale/fast.cu", and "/tmp/scale/fast.cu" is
// "scale/fast.cu"; without such a folder it is "scale/" and the file's name. Where that would be one name for
// several candidates of one file of results, they are called by problem and path below their common folder.
void name_candidates(std::vector<Record>& records);

}  // namespace kgrade
