// Reads the report on the rehearsal of a Python candidate. The report is JSON from the candidate's process,
// so it is not trusted.
#pragma once

#include <string>

#include "record/record.h"

namespace kgrade {

// Copies headers and functions from the report. Leaves out texts that are not names, and entries beyond the
// limits.
void read_python_report(const std::string& report, PythonRecord& record);

// "PyTorch computed conv1d, relu (as seen in the rehearsal)". Empty if it computed nothing.
std::string functions_note(const PythonRecord& record);

// "ModelNew has no parameter for fc_weight: ...", for weights that the report says are left out. Empty
// without such weights.
std::string left_out_note(const std::string& report);

}  // namespace kgrade
