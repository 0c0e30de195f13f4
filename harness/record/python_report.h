// What a candidate in Python says of its rehearsal, in JSON of its own making: read for the record.
#pragma once

#include <string>

#include "record/record.h"

namespace kgrade {

// Takes headers and functions from the report; what is none of these, or too much, is left out.
void read_python_report(const std::string& report, PythonRecord& record);

// "PyTorch computed conv1d, relu (as seen in the rehearsal)"; empty when it computed nothing.
std::string functions_note(const PythonRecord& record);

// "ModelNew has no parameter for fc_weight: ...", of weights that the report says are left out; empty without
// any.
std::string left_out_note(const std::string& report);

}  // namespace kgrade
