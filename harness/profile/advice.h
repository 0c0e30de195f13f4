// Advice on a kernel, from its facts and a table of rules. Each rule names the section of NVIDIA's documents
// from which it comes.
#pragma once

#include <string>
#include <vector>

#include "profile/kernel_profile.h"

namespace kgrade {

struct ProfiledProblem {
  bool has_narrow_type = false;  // 16-bit elements, or a class below fp32: tensor cores give its answers
};

// The advice on one kernel, the most important first. Facts that are absent or null lead to no advice.
std::vector<Advice> advice_on(const KernelProfile& kernel, const ProfiledProblem& problem);

// Every rule's name and source, in the order of the table.
std::vector<Advice> all_rules();

}  // namespace kgrade
