// What workers in Python are started with and may read.
#include "contest/python_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade {
namespace python_host_test {

using testing::Contains;
using testing::Not;

const std::vector<std::string> worker = {"/kgrade/kgrade-worker-cuda", "GPU-1"};

TEST(PythonHost, NamesTheCudaToolkitInFrontOfTheLibrary) {
  PythonHost host;
  host.program = "/usr/bin/python3";
  host.script = "/kgrade/worker.py";
  EXPECT_THAT(python_command(host, worker), Not(Contains("--toolkit")));
  host.cuda_toolkit = "/usr/local/cuda";
  const std::vector<std::string> command = python_command(host, worker);
  const std::vector<std::string> end(command.end() - 4, command.end());
  EXPECT_THAT(
      end, testing::ElementsAre("--toolkit", "/usr/local/cuda", "/kgrade/libkgrade-python-cuda.so", "GPU-1"));
}

}  // namespace python_host_test
}  // namespace kgrade
