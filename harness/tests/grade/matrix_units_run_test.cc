// A whole run of `grade` on the emulated device, with a toolchain that says that it builds for a GPU. A
// script takes the place of cuobjdump.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "grade/grade.h"
#include "problem/catalogue.h"

namespace kgrade::matrix_units_run_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

constexpr const char* problem_file = R"md(---
slug: copy
title: "Copy"
difficulty: EASY
tags: [test]
parameters:
  - {name: in, type: "[VAR]", pointer: true, const: true, shape: [n], init: "uniform(0, 1)"}
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false, const: false}
dtypes: [float32, float16]
precision: bf16
flops: n
cases:
  - {name: tiny, role: test, n: 64}
  - {name: large, role: bench, n: 1024}
---
The same numbers.
)md";

constexpr const char* kernel = R"(#include <cuda_fp16.h>
#ifndef KGRADE_ELEMENT
#define KGRADE_ELEMENT __half
#endif
__global__ void copy(const KGRADE_ELEMENT* in, KGRADE_ELEMENT* out, size_t n) {
  if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x];
}
extern "C" void solution(const KGRADE_ELEMENT* in, KGRADE_ELEMENT* out, size_t n) {
  copy<<<1, 64>>>(in, out, n);
}
)";

class ToolchainOfGpu : public Toolchain {
 public:
  ToolchainOfGpu(std::unique_ptr<Toolchain> real, fs::path toolkit)
      : real_(std::move(real)), toolkit_(std::move(toolkit)) {}
  std::string describe() const override { return real_->describe(); }
  std::string identity() const override { return real_->identity(); }
  fs::path cuda_toolkit() const override { return toolkit_; }
  Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const override {
    return real_->build(problem, request);
  }

 private:
  std::unique_ptr<Toolchain> real_;
  fs::path toolkit_;
};

class MatrixUnitsRun : public testing::Test {
 protected:
  MatrixUnitsRun() {
    write("problems/copy.md", problem_file);
    write("reference/copy.cu", kernel);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  void write_program(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder_.path() / name, fs::perms::owner_all);
  }

  Record run(const std::string& dtype = "float16", bool on_gpu = true) const {
    write("mine.cu", dtype == "float32" ? replace_all(kernel, "__half", "float") : kernel);
    const Layout layout = Layout::find(folder_.path() / "problems");
    const auto problem = with_dtype(*find_problem("copy", layout.problems), dtype);
    DeviceChoice device;
    device.kind = DeviceChoice::Kind::emulated;
    Machinery machinery = real_machinery(device, layout);
    machinery.make_toolchain = [&, real = machinery.make_toolchain]() -> Result<std::unique_ptr<Toolchain>> {
      auto made = real();
      if (!made || !on_gpu) return made;
      return std::unique_ptr<Toolchain>(
          std::make_unique<ToolchainOfGpu>(std::move(*made), folder_.path() / "toolkit"));
    };
    GradeOptions options;
    options.candidates = read_candidates({folder_.path() / "mine.cu"}, layout).value();
    options.cases = {"tiny"};
    options.layout = layout;
    options.python = "no-such-python";
    GradeOutcome outcome = grade(*problem, options, std::make_shared<Bench>(machinery));
    EXPECT_FALSE(outcome.failure) << to_string(outcome.failure.value_or(Errors()));
    EXPECT_EQ(outcome.record->candidate().verdict, Verdict::accepted) << outcome.record->candidate().message;
    return *outcome.record;
  }

  const TemporaryDirectory folder_;
};

TEST_F(MatrixUnitsRun, NamesThoseOfTheCandidate) {
  write_program("toolkit/bin/nvdisasm", "exit 1");
  write_program(
      "toolkit/bin/cuobjdump",
      "[ -s \"$2\" ] && echo '        /*0050*/   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], RZ, gsb0 ;'");
  EXPECT_THAT(run().candidate().matrix_units, Optional(ElementsAre("bf16 (HGMMA)")));
  EXPECT_EQ(run("float32").candidate().matrix_units, std::nullopt) << "no tensor has 16 bits";
  EXPECT_EQ(run("float16", false).candidate().matrix_units, std::nullopt) << "code of the host";
}

TEST_F(MatrixUnitsRun, SaysThatThereIsNoDisassembler) {
  if (find_program("cuobjdump")) GTEST_SKIP() << "this machine has one in PATH";
  const auto note = HasSubstr("there is no cuobjdump: if kgrade is from pip");
  const Record record = run();
  EXPECT_EQ(record.candidate().matrix_units, std::nullopt);
  EXPECT_THAT(record.notes, Contains(note));
  EXPECT_THAT(run("float32").notes, Not(Contains(note)));
  EXPECT_THAT(run("float16", false).notes, Not(Contains(note)));
}

}  // namespace kgrade::matrix_units_run_test
