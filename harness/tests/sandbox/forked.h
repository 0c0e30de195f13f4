// A zygote for the tests of the sandbox, whose programs are Python files beside this one.
#pragma once

#include <string>
#include <vector>

#include "sandbox/zygote.h"

namespace kgrade {

// `behaviour`: how it fails (test_zygote.py); empty: it does not.
ZygoteSetup setup_of_test_zygote(const std::string& behaviour = "");

// The one of this process, for the mode `forked`.
Zygote& test_zygote();

// The command of one of its programs.
std::vector<std::string> command_of_program(const std::string& name, const std::vector<std::string>& words);

}  // namespace kgrade
