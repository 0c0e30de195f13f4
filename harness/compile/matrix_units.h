// Finds out which matrix units (tensor cores) the compiled GPU code of a candidate uses. NVIDIA's cuobjdump
// disassembles the code: in PTX, an instruction on fp8 may become a conversion and an instruction on fp16.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"
#include "compile/python_interpreter.h"
#include "problem/problem.h"
#include "sandbox/sandbox.h"

namespace kgrade {

// Whether the problem has a tensor whose elements have at most 16 bits and are not booleans. Only then does a
// record name matrix units.
bool has_low_precision(const Problem& problem);

// "bf16 (HGMMA)" for the opcode "HGMMA.64x128x16.F32.BF16". Empty if the instruction uses no matrix unit.
std::string matrix_unit_of(std::string_view opcode);

// The names of the units in the output of `cuobjdump -sass`.
std::set<std::string> matrix_units_in(std::string_view sass);

// Where cuobjdump is: in the CUDA Toolkit in `toolkit`, in PATH, or in the package Triton of a Python.
// `python` finds this Python, and is called only if cuobjdump is nowhere else. Only a cuobjdump with an
// nvdisasm in the same folder counts, because it calls nvdisasm.
std::optional<std::filesystem::path> find_cuobjdump(const std::filesystem::path& toolkit,
                                                    const std::function<Result<PythonInterpreter>()>& python);
// How to install it.
inline constexpr const char* cuobjdump_remedy =
    "if kgrade is from pip, run `pip install 'kgrade[cuda]'`; otherwise install from NVIDIA's repository the "
    "packages cuda-cuobjdump and cuda-nvdisasm of your CUDA Toolkit's version";

// Runs cuobjdump in a sandbox, because the code that it reads may be hostile. Safe to use from several
// threads.
class Disassembler {
 public:
  struct Limits {
    std::chrono::seconds wall{30};
    std::size_t output_bytes = std::size_t{64} << 20;  // about 250,000 instructions
  };

  // `program` is the path of cuobjdump.
  Disassembler(std::filesystem::path program, std::shared_ptr<const Sandbox> sandbox, Limits limits);
  Disassembler(std::filesystem::path program, std::shared_ptr<const Sandbox> sandbox)
      : Disassembler(std::move(program), std::move(sandbox), Limits()) {}

  // The names of the units that the GPU code in a shared library or a cubin uses. The path is absolute. An
  // Error says in one line why the code could not be disassembled.
  Result<std::set<std::string>> units_in(const std::filesystem::path& file) const;

 private:
  // Several candidates may have many files each, and measuring goes on meanwhile.
  using Turns = std::counting_semaphore<2>;

  std::filesystem::path program_;
  std::shared_ptr<const Sandbox> sandbox_;
  Limits limits_;
  mutable Turns turns_{2};  // how many programs may run
};

// The matrix units of one candidate. Its files are disassembled on their own threads, so that nothing waits
// for them until the record is made. One thread at a time uses an object.
class MatrixUnits {
 public:
  explicit MatrixUnits(std::shared_ptr<const Disassembler> disassembler)
      : disassembler_(std::move(disassembler)) {}

  // These functions begin with files, which stay where they are as long as this object lives.
  // The library of a candidate in CUDA C++.
  void look_at_library(const std::filesystem::path& library);
  // An extension of a candidate in Python. A second library for the same request is ignored.
  void look_at_extension(const std::filesystem::path& library, const std::string& request);
  // The kernels in the report on the rehearsal of a candidate in Python (record/candidate_reports.h). Without
  // this report, the units of such a candidate are not known.
  void look_at_report(const std::string& report);

  struct Found {
    std::optional<std::vector<std::string>> units;  // sorted; unset: not known
    std::string problem;                            // why a file could not be disassembled; else empty
  };
  // Waits for the files.
  Found found() const;

 private:
  void look_at(const std::filesystem::path& file, const std::string& key);

  std::shared_ptr<const Disassembler> disassembler_;
  std::optional<TemporaryDirectory> kernels_;  // for the files of the kernels in reports
  std::set<std::string> keys_;                 // hashes that identify the files
  bool has_all_ = false;                       // the candidate has no other files
  std::vector<std::shared_future<Result<std::set<std::string>>>> running_;
};

}  // namespace kgrade
