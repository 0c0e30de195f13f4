#include "compile/matrix_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/base64.h"
#include "base/temporary_directory.h"
#include "compile/nvcc_toolchain.h"
#include "compile/own_files.h"
#include "one_output.h"

namespace kgrade::matrix_units_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

// Opcodes as cuobjdump of CUDA 13.1 prints them, for sm_89, sm_90a, sm_100a and sm_120a.
TEST(MatrixUnit, IsNamedByTheTypeOfItsFactorsAndTheInstruction) {
  EXPECT_EQ(matrix_unit_of("HMMA.16816.F32"), "fp16 (HMMA)");
  EXPECT_EQ(matrix_unit_of("HMMA.16816.F16"), "fp16 (HMMA)");
  EXPECT_EQ(matrix_unit_of("HMMA.16816.F32.BF16"), "bf16 (HMMA)");
  EXPECT_EQ(matrix_unit_of("HMMA.1688.F32.TF32"), "tf32 (HMMA)");
  EXPECT_EQ(matrix_unit_of("HGMMA.64x8x16.F32"), "fp16 (HGMMA)");
  EXPECT_EQ(matrix_unit_of("HGMMA.64x128x16.F32.BF16"), "bf16 (HGMMA)");
  EXPECT_EQ(matrix_unit_of("HGMMA.64x8x8.F32.TF32"), "tf32 (HGMMA)");
  EXPECT_EQ(matrix_unit_of("QGMMA.64x8x32.F32.E4M3.E4M3"), "fp8 e4m3 (QGMMA)");
  EXPECT_EQ(matrix_unit_of("QGMMA.64x8x32.F32.E4M3.E5M2"), "fp8 e4m3 x fp8 e5m2 (QGMMA)");
  EXPECT_EQ(matrix_unit_of("QMMA.16832.F32.E5M2.E5M2"), "fp8 e5m2 (QMMA)");
  EXPECT_EQ(matrix_unit_of("QMMA.16832.F32.E2M1.E3M2"), "fp4 e2m1 x fp6 e3m2 (QMMA)");
  EXPECT_EQ(matrix_unit_of("OMMA.SF.16864.F32.E2M1.E2M1.E8"), "fp4 e2m1 (OMMA)");
  EXPECT_EQ(matrix_unit_of("IMMA.16832.S8.U8"), "int8 (IMMA)");
  EXPECT_EQ(matrix_unit_of("IMMA.16864.S4.S4"), "int4 (IMMA)");
  EXPECT_EQ(matrix_unit_of("IGMMA.64x8x32.S8.S8"), "int8 (IGMMA)");
  EXPECT_EQ(matrix_unit_of("DMMA.8x8x4"), "fp64 (DMMA)");
  EXPECT_EQ(matrix_unit_of("BMMA.168256.AND.POPC"), "1 bit (BMMA)");
  EXPECT_EQ(matrix_unit_of("BGMMA.64x8x256.AND.POPC"), "1 bit (BGMMA)");
  EXPECT_EQ(matrix_unit_of("UTCHMMA"), "fp16, bf16 or tf32 (UTCHMMA)");
  EXPECT_EQ(matrix_unit_of("UTCQMMA"), "fp8, fp6 or fp4 (UTCQMMA)");
  EXPECT_EQ(matrix_unit_of("UTCIMMA"), "int8 (UTCIMMA)");
  EXPECT_EQ(matrix_unit_of("UTCOMMA"), "fp4 (UTCOMMA)");
}

// Names of symbols are the candidate's own, and may look like instructions.
TEST(MatrixUnit, HasAShortNameWhateverTheOpcode) {
  EXPECT_EQ(matrix_unit_of("QMMA.E4M3.E5M2.E4M3.E3M2.E2M1.E5M2"), "fp8 e4m3 x fp8 e5m2 (QMMA)");
}

TEST(MatrixUnit, IsNotUsedByOtherInstructions) {
  for (const char* opcode : {"", "FFMA", "HFMA2.BF16_V2", "IMAD.WIDE", "LDSM.16.M88.4", "MMAX", "hmma.16816",
                             "<b>MMA", "VMMA.3", "AVERYLONGNAMEMMA", "WARPGROUP.ARRIVE"})
    EXPECT_EQ(matrix_unit_of(opcode), "") << opcode;
}

// Three kernels of one library, shortened.
constexpr const char* listing =
    "\nFatbin elf code:\n================\narch = sm_90a\n\n\tcode for sm_90a\n"
    "\t\tFunction : _Z2bfPK13__nv_bfloat16S1_Pf\n"
    "\t.headerflags\t@\"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */\n"
    "                                                                       /* 0x000ff00000000800 */\n"
    "        /*01a0*/                   HMMA.16816.F32.BF16 R20, R4.reuse, R16, RZ ; /* 0x000000100414723c "
    "*/\n"
    "        /*01b0*/              @!P0 HMMA.16816.F32.BF16 R16, R4, R18, RZ ;       /* 0x000000120410723c "
    "*/\n"
    "\t\tFunction : _Z2f8PKjPf\n"
    "        /*0050*/              @UP1 QGMMA.64x8x32.F32.E4M3.E4M3 R24, gdesc[UR4], RZ, !UPT, gsb0 ;\r\n"
    "        /*0090*/                   EXIT ;\n";

TEST(MatrixUnits, OfAListingAreItsInstructions) {
  EXPECT_THAT(matrix_units_in(listing), ElementsAre("bf16 (HMMA)", "fp8 e4m3 (QGMMA)"));
}

TEST(MatrixUnits, AreNotTakenFromNamesAndComments) {
  EXPECT_THAT(
      matrix_units_in("\t\tFunction : HMMA.16816.F32\nHMMA.16816.F32 R1\n/* HMMA.16816.F32 */\n"
                      "/*zz*/ HMMA.16816.F32 R4\n/*0010*/ MOV R1, HMMA ;\n/*0010\n/*0010*/\n/*0010*/ @P0\n"),
      IsEmpty());
  EXPECT_THAT(matrix_units_in(""), IsEmpty());
}

Parameter tensor(const std::string& type) {
  Parameter parameter;
  parameter.type = type;
  parameter.pointer = true;
  return parameter;
}

TEST(MatrixUnits, AreAskedForWhereATensorHas16BitsOrFewer) {
  Problem problem;
  problem.parameters = {tensor("[VAR]"), tensor("int"), tensor("bool")};
  problem.parameters.push_back(tensor("int8_t"));
  problem.parameters.back().pointer = false;
  EXPECT_FALSE(has_low_precision(problem));
  problem.dtype = Dtype::bfloat16;
  EXPECT_TRUE(has_low_precision(problem));
  for (const char* type : {"__half", "__nv_fp8_e4m3", "int8_t", "uint8_t"}) {
    problem.dtype = Dtype::float32;
    problem.parameters = {tensor("[VAR]"), tensor(type)};
    EXPECT_TRUE(has_low_precision(problem)) << type;
  }
}

TEST(MatrixUnits, AreAskedForWhereTheCasesOfAFileDifferInTheirTypes) {
  Problem problem;
  problem.parameters = {tensor("[VAR]")};
  problem.cases.resize(1);
  problem.cases[0].module.emplace().tensors["x"].dtype = Dtype::float32;
  EXPECT_FALSE(has_low_precision(problem));
  problem.cases[0].module->tensors["x"].dtype = Dtype::float8_e5m2;
  EXPECT_TRUE(has_low_precision(problem));
}

// Disassembles with a script in place of cuobjdump.
class DisassemblerTest : public testing::Test {
 protected:
  DisassemblerTest() {
    write("listing", listing);
    write("contestant.so", "library");
  }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  void write_program(const char* name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script + "\n");
    ASSERT_EQ(::chmod((folder_.path() / name).c_str(), 0755), 0);
  }
  std::shared_ptr<const Disassembler> with(const std::string& script, Disassembler::Limits limits = {},
                                           std::shared_ptr<const Sandbox> sandbox = nullptr) const {
    write_program("cuobjdump", script);
    write_program("nvdisasm", "exit 1");
    return std::make_shared<Disassembler>(folder_.path() / "cuobjdump", std::move(sandbox), limits);
  }
  std::string error_with(const std::string& script, Disassembler::Limits limits = {}) const {
    const auto units = with(script, limits)->units_in(library());
    return units ? "no error" : units.error().message;
  }
  fs::path library() const { return folder_.path() / "contestant.so"; }

  const TemporaryDirectory folder_;
};

TEST_F(DisassemblerTest, ReadsWhatCuobjdumpPrints) {
  const auto units =
      with("[ \"$1\" = -sass ] && cat \"$2\" && cat $(dirname $0)/listing")->units_in(library());
  ASSERT_TRUE(units) << to_string(units.errors());
  EXPECT_THAT(*units, ElementsAre("bf16 (HMMA)", "fp8 e4m3 (QGMMA)"));
}

TEST_F(DisassemblerTest, SeesOnlyTheFileInASandbox) {
  const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
  if (!sandbox->confines()) GTEST_SKIP() << "there are no namespaces";
  write("secret", "/*0000*/ HMMA.16816.F32 R1 ;\n");
  write("contestant.so", "/*0000*/ IMMA.16832.S8.S8 R1 ;\n");
  // It writes temporary files, and calls nvdisasm.
  const auto units = with(
                         "cat \"$2\" > \"$TMPDIR/code\" && cat \"$TMPDIR/code\"\n"
                         "cat $(dirname $0)/secret\nnvdisasm\n[ $? = 1 ] && echo '/*0010*/ DMMA.8x8x4 R1 ;'",
                         {}, sandbox)
                         ->units_in(library());
  ASSERT_TRUE(units) << to_string(units.errors());
  EXPECT_THAT(*units, ElementsAre("fp64 (DMMA)", "int8 (IMMA)"));
}

TEST_F(DisassemblerTest, ALibraryWithoutGpuCodeHasNoUnits) {
  const auto units = with("echo \"cuobjdump info    : File '$2' does not contain device code\"; exit 255")
                         ->units_in(library());
  ASSERT_TRUE(units);
  EXPECT_THAT(*units, IsEmpty());
}

TEST_F(DisassemblerTest, ASymbolDoesNotHideTheCode) {
  const auto units =
      with("echo 'Function : does not contain device code'; cat $(dirname $0)/listing")->units_in(library());
  ASSERT_TRUE(units);
  EXPECT_THAT(*units, ElementsAre("bf16 (HMMA)", "fp8 e4m3 (QGMMA)"));
}

TEST_F(DisassemblerTest, SaysWhyItFails) {
  EXPECT_EQ(error_with("echo more; echo 'cuobjdump fatal: \x1b[31mno nvdisasm'; echo; exit 1"),
            "cuobjdump failed: cuobjdump fatal: \\x1b[31mno nvdisasm");
  EXPECT_THAT(error_with("yes '/*0010*/ HMMA.16816.F32 R1' | head -c 100000; exit 2"),
              testing::SizeIs(testing::Lt(300u)));
  EXPECT_THAT(error_with("cat $(dirname $0)/listing; kill -SEGV $$"), HasSubstr("cuobjdump failed"));
}

TEST_F(DisassemblerTest, Garbage) {
  const auto units = with("head -c 1000000 /dev/urandom")->units_in(library());
  ASSERT_TRUE(units) << to_string(units.errors());
  EXPECT_THAT(*units, IsEmpty());
}

TEST_F(DisassemblerTest, EndsAProgramThatHangs) {
  EXPECT_EQ(error_with("sleep 60", {.wall = std::chrono::seconds(1)}), "cuobjdump took longer than 1 s");
}

TEST_F(DisassemblerTest, TakesNoPartOfALongListing) {
  EXPECT_EQ(error_with("yes '/*0010*/ HMMA.16816.F32 R1' | head -c 20000", {.output_bytes = 10'000}),
            "cuobjdump printed more than 9.8 KiB");
}

TEST_F(DisassemblerTest, IsFoundBesideNvccOnlyWithNvdisasm) {
  const auto no_python = [] { return find_python("no-such-python"); };
  // There is none in PATH.
  const TemporaryDirectory empty;
  const char* const path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  ::setenv("PATH", empty.path().c_str(), 1);
  fs::create_directory(folder_.path() / "bin");
  write_program("bin/cuobjdump", "exit 0");
  EXPECT_EQ(find_cuobjdump(folder_.path(), no_python), std::nullopt);
  write_program("bin/nvdisasm", "exit 0");
  EXPECT_THAT(find_cuobjdump(folder_.path(), no_python), Optional(folder_.path() / "bin/cuobjdump"));
  ::setenv("PATH", (folder_.path() / "bin").c_str(), 1);
  EXPECT_THAT(find_cuobjdump(empty.path(), no_python), Optional(folder_.path() / "bin/cuobjdump"));
  ::setenv("PATH", before.c_str(), 1);
}

// The units of a candidate. The script prints each file as it is.
class CandidateUnits : public DisassemblerTest {
 protected:
  static std::string report_of(const std::vector<std::string>& kernels) {
    std::string list;
    for (const std::string& kernel : kernels) list += (list.empty() ? "\"" : ", \"") + base64(kernel) + "\"";
    return "{\"operators\": [], \"kernels\": [" + list + "]}";
  }

  MatrixUnits units_{with("echo >> $(dirname $0)/runs; cat \"$2\"")};
};

TEST_F(CandidateUnits, OfALibrary) {
  EXPECT_EQ(units_.found().units, std::nullopt) << "nothing was built";
  write("contestant.so", listing);
  units_.look_at_library(library());
  EXPECT_THAT(units_.found().units, Optional(ElementsAre("bf16 (HMMA)", "fp8 e4m3 (QGMMA)")));
  EXPECT_EQ(units_.found().problem, "");
}

TEST_F(CandidateUnits, WithoutMatrixInstructions) {
  units_.look_at_library(library());
  EXPECT_THAT(units_.found().units, Optional(IsEmpty()));
}

// A record has at most 64 names.
TEST_F(CandidateUnits, OfMoreKindsThanHonestCodeHasAreNotKnown) {
  std::string code;
  for (const char* unit : {"QMMA", "QGMMA", "OMMA"}) {
    for (const char* one : {"E4M3", "E5M2", "E3M2", "E2M3", "E2M1"}) {
      for (const char* other : {"E4M3", "E5M2", "E3M2", "E2M3", "E2M1"})
        code += std::string("/*0000*/ ") + unit + "." + one + "." + other + " R1 ;\n";
    }
  }
  write("contestant.so", code);
  units_.look_at_library(library());
  EXPECT_EQ(units_.found().units, std::nullopt);
  EXPECT_EQ(units_.found().problem, "its code has more than 64 kinds");
}

TEST_F(CandidateUnits, OfExtensionsAndKernels) {
  write("contestant.so", listing);
  write("other.so", listing);
  units_.look_at_extension(library(), "{}");
  EXPECT_EQ(units_.found().units, std::nullopt) << "the candidate has not told its kernels";
  const std::string kernel = "/*0000*/ IMMA.16832.S8.S8 R1 ;\n";
  // A further process of the candidate.
  for (int process = 0; process < 2; ++process) {
    units_.look_at_extension(folder_.path() / "other.so", "{}");
    units_.look_at_report(report_of({kernel, std::string("\0\xff\n", 3)}));
  }
  EXPECT_THAT(units_.found().units, Optional(ElementsAre("bf16 (HMMA)", "fp8 e4m3 (QGMMA)", "int8 (IMMA)")));
  EXPECT_EQ(fs::file_size(folder_.path() / "runs"), 3u) << "each file is disassembled once";
}

TEST_F(CandidateUnits, OfPythonAloneAreNone) {
  units_.look_at_report(report_of({}));
  EXPECT_THAT(units_.found().units, Optional(IsEmpty()));
}

TEST_F(CandidateUnits, AreNotKnownWithoutTheKernels) {
  for (const char* report : {"", "{}", "[]", R"({"kernels": null})", R"({"kernels": 3})",
                             R"({"kernels": ["A"]})", R"({"kernels": [["AAAA"]]})"}) {
    units_.look_at_report(report);
    EXPECT_EQ(units_.found().units, std::nullopt) << report;
    EXPECT_EQ(units_.found().problem, "") << report;
  }
}

TEST_F(CandidateUnits, OfManyFilesAreNotKnown) {
  for (int file = 0; file < 17; ++file) units_.look_at_extension(library(), std::to_string(file));
  units_.look_at_report(report_of({}));
  EXPECT_EQ(units_.found().units, std::nullopt);
  EXPECT_THAT(units_.found().problem, HasSubstr("more than 16 files"));
}

TEST_F(CandidateUnits, AreNotKnownWhereOneFileFails) {
  units_.look_at_extension(folder_.path() / "missing.so", "{}");
  units_.look_at_report(report_of({"/*0000*/ IMMA.16832.S8.S8 R1 ;"}));
  EXPECT_EQ(units_.found().units, std::nullopt);
  EXPECT_THAT(units_.found().problem, HasSubstr("cuobjdump failed"));
}

Result<PythonInterpreter> any_python() { return find_python(""); }

// Libraries that nvcc has built, disassembled in the sandbox of this machine.
class NvccMatrixUnits : public testing::Test {
 protected:
  // The units of a kernel for sm_90a.
  static std::set<std::string> units_of(const std::string& kernel) {
    const TemporaryDirectory folder;
    const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
    std::ofstream(folder.path() / "mine.cu")
        << kernel
        << "\nextern \"C\" void solution(float* out) { kernel<<<1, 32>>>((const unsigned*)out, out); }\n";
    const OwnFiles own = own_files(folder.path() / "mine.cu");
    BuildRequest request;
    request.source = own.files.front();
    request.output_directory = fs::canonical(folder.path());
    request.readable = own.files;
    const NvccToolchain toolchain(*find_nvcc(), "sm_90", sandbox);
    const auto built = toolchain.build(test::one_output(), request);
    EXPECT_TRUE(built && built->status == BuildStatus::built) << (built ? built->log : "");
    const Disassembler disassembler(*find_cuobjdump(toolchain.cuda_toolkit(), any_python), sandbox);
    const auto units = disassembler.units_in(built->library);
    EXPECT_TRUE(units) << to_string(units.errors());
    return units ? *units : std::set<std::string>();
  }

  void SetUp() override {
    const auto nvcc = find_nvcc();
    if (!nvcc) GTEST_SKIP() << "nvcc is not installed";
    if (!find_cuobjdump(nvcc->parent_path().parent_path(), any_python))
      GTEST_SKIP() << "there is no cuobjdump";
  }
};

TEST_F(NvccMatrixUnits, OfWarpLevelProducts) {
  EXPECT_THAT(units_of("#include <mma.h>\n#include <cuda_bf16.h>\nusing namespace nvcuda::wmma;\n"
                       "__global__ void kernel(const unsigned* in, float* out) {\n"
                       "  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> a;\n"
                       "  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> b;\n"
                       "  fragment<accumulator, 16, 16, 16, float> c;\n"
                       "  load_matrix_sync(a, (const __nv_bfloat16*)in, 16);\n"
                       "  load_matrix_sync(b, (const __nv_bfloat16*)in, 16);\n"
                       "  fill_fragment(c, 0);\n"
                       "  mma_sync(c, a, b, c);\n"
                       "  store_matrix_sync(out, c, 16, mem_row_major);\n"
                       "}"),
              ElementsAre("bf16 (HMMA)"));
}

// Hopper has no instruction for the products of a warp in fp8: they are converted and multiplied in fp16.
TEST_F(NvccMatrixUnits, OfFp8ThatIsConverted) {
  EXPECT_THAT(
      units_of(
          "__global__ void kernel(const unsigned* in, float* out) {\n"
          "  float c[4] = {};\n"
          "  asm volatile(\"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 \"\n"
          "      \"{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\"\n"
          "      : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3])\n"
          "      : \"r\"(in[0]), \"r\"(in[1]), \"r\"(in[2]), \"r\"(in[3]), \"r\"(in[4]), \"r\"(in[5]));\n"
          "  out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];\n"
          "}"),
      ElementsAre("fp16 (HMMA)"));
}

TEST_F(NvccMatrixUnits, OfFp8InAWarpgroup) {
  EXPECT_THAT(
      units_of(
          "__global__ void kernel(const unsigned* in, float* out) {\n"
          "  float c[4] = {};\n"
          "  asm volatile(\"wgmma.fence.sync.aligned;\"\n"
          "      \"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %4, 1, 1, 1;\"\n"
          "      \"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\"\n"
          "      : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"l\"((unsigned long "
          "long)in[0]));\n"
          "  out[threadIdx.x] = c[0];\n"
          "}"),
      ElementsAre("fp8 e4m3 (QGMMA)"));
}

TEST_F(NvccMatrixUnits, OfOrdinaryArithmeticAreNone) {
  EXPECT_THAT(units_of("__global__ void kernel(const unsigned* in, float* out) { out[threadIdx.x] *= 2; }"),
              IsEmpty());
}

}  // namespace kgrade::matrix_units_test
