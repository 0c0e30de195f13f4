#include "measure/baselines.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/elf_file.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "grade/contestants.h"
#include "tests/support/drawn.h"

namespace kgrade::baselines_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// A layout of its own, with folders in place of the libraries'.
class BaselinesTest : public testing::Test {
 protected:
  BaselinesTest() {
    problem_.slug = "one";
    problem_.path = at("problems/one.md");
    problem_.dtypes = {"float32"};
    Parameter output;
    output.name = "output";
    output.type = "[VAR]";
    output.pointer = true;
    problem_.parameters = {output};
    layout_.problems = {at("problems")};
    layout_.reference = at("reference");
    layout_.share = Layout::find().share;
    for (VendorLibrary& library : layout_.libraries) {
      library.version.clear();
      library.include.clear();
      library.files.clear();
    }
    write("problems/one.md", "");
    write("reference/one.cu", "");
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  CandidateSource candidate() const {
    write("solutions/one/mine.cu", "");
    return read_candidates({at("solutions/one/mine.cu")}, layout_).value().front();
  }

  void have(const std::string& key, const std::string& version, const std::vector<fs::path>& files) {
    for (VendorLibrary& library : layout_.libraries) {
      if (library.key != key) continue;
      fs::create_directories(at(key + "/include"));
      library.version = version;
      library.include = at(key + "/include");
      library.files = files;
      for (const fs::path& file : files) write(fs::relative(file, at("")), "");
    }
  }

  void have_cudnn() {
    have("cudnn", "9.19.0", {at("cudnn/lib/libcudnn.so.9"), at("cuda/lib/libcublasLt.so.13")});
  }

  void have_cublas() {
    have("cublas", "13.1.0", {at("cuda/lib/libcublas.so.13"), at("cuda/lib/libcublasLt.so.13")});
  }

  void write_baseline_of_cublas() const { write("reference/cublas/one.cc", "#include <cublas_v2.h>\n"); }

  void write_baseline_of_cudnn() const {
    write("reference/cudnn/one.cu", "#include \"baseline/calls.h\"\n");
    write("reference/cudnn/baseline/calls.h", "#pragma once\n#include <cudnn.h>\n");
  }

  // A baseline that needs only a device, and shows its class by what it writes.
  void write_plain_baseline() const {
    write("reference/cudnn/one.cu",
          "__global__ void fill(float* out) { out[threadIdx.x] = KGRADE_TF32; }\n"
          "extern \"C\" void solution(float* out) { fill<<<1, 32>>>(out); }\n");
  }

  TemporaryDirectory folder_;
  Problem problem_;
  Layout layout_;
};

TEST_F(BaselinesTest, AreTwoClassesOfOneSource) {
  have_cudnn();
  write_baseline_of_cudnn();
  problem_.precision = "tf32";
  const auto found = baselines_of(problem_, layout_);
  ASSERT_THAT(found, ElementsAre(Field(&BaselineSource::name, "cudnn-fp32"),
                                 Field(&BaselineSource::name, "cudnn-tf32")));
  EXPECT_EQ(found[0].source, at("reference/cudnn/one.cu"));
  EXPECT_EQ(found[1].source, found[0].source);
  EXPECT_THAT(found[0].defines, ElementsAre(Pair("KGRADE_TF32", "0")));
  EXPECT_THAT(found[1].defines, ElementsAre(Pair("KGRADE_TF32", "1")));
  EXPECT_EQ(why_no_baselines(problem_, layout_), "");
}

// A baseline that is host code comes without its kernels: those are built beside it, and belong to it as
// well.
TEST_F(BaselinesTest, InCppHaveTheirKernelsApart) {
  have_cudnn();
  write_baseline_of_cudnn();
  write("reference/cudnn/one.cc", "#include \"baseline/calls.h\"\n");
  write("reference/vendor/kernels.cu", "#include \"vendor/kernels.h\"\n__global__ void fill() {}\n");
  write("reference/vendor/kernels.h", "#pragma once\n");
  const auto found = baselines_of(problem_, layout_);
  ASSERT_THAT(found, ElementsAre(Field(&BaselineSource::source, at("reference/cudnn/one.cc"))));
  const BuildRequest request = request_for(found[0], "/out", layout_);
  EXPECT_THAT(request.kernels, ElementsAre(at("reference/vendor/kernels.cu")));
  EXPECT_THAT(request.include_directories, Contains(at("reference")));
  for (const char* const name : {"reference/vendor/kernels.cu", "reference/vendor/kernels.h"}) {
    EXPECT_THAT(*request.readable, Contains(at(name)));
    const auto before = hash_of(files_of_baseline(found[0].source));
    write(name, "__global__ void other() {}\n");
    EXPECT_NE(*hash_of(files_of_baseline(found[0].source)), *before) << name;
  }

  fs::remove(at("reference/cudnn/one.cc"));
  EXPECT_THAT(request_for(baselines_of(problem_, layout_).at(0), "/out", layout_).kernels, IsEmpty());
}

TEST_F(BaselinesTest, AreOfNoClassThatIsRefused) {
  write_plain_baseline();
  problem_.precision = "fp32";
  EXPECT_THAT(baselines_of(problem_, layout_), ElementsAre(Field(&BaselineSource::name, "cudnn-fp32")));
  problem_.precision = "exact";
  EXPECT_THAT(baselines_of(problem_, layout_), ElementsAre(Field(&BaselineSource::name, "cudnn-fp32")));
  for (const char* const lower : {"tf32", "bf16"}) {
    problem_.precision = lower;
    EXPECT_EQ(baselines_of(problem_, layout_).size(), 2U) << lower;
  }
}

TEST_F(BaselinesTest, AreNoneWithoutASource) {
  have_cudnn();
  EXPECT_THAT(baselines_of(problem_, layout_), IsEmpty());
  EXPECT_EQ(why_no_baselines(problem_, layout_), "no baseline for this problem");
}

TEST_F(BaselinesTest, AreNoneWithoutCudnnWhereTheyNeedIt) {
  write_baseline_of_cudnn();
  EXPECT_THAT(baselines_of(problem_, layout_), IsEmpty());
  EXPECT_EQ(why_no_baselines(problem_, layout_), "cuDNN was not found when kgrade was configured");
}

TEST_F(BaselinesTest, AreNoneOnAMachineWithoutTheFilesThatWereThereBefore) {
  have_cudnn();
  write_baseline_of_cudnn();
  EXPECT_FALSE(baselines_of(problem_, layout_).empty());
  const fs::path library = at("cudnn/lib/libcudnn.so.9");
  fs::remove(library);
  EXPECT_THAT(baselines_of(problem_, layout_), IsEmpty());
  EXPECT_EQ(why_no_baselines(problem_, layout_),
            "kgrade was built with " + library.string() + ", which this machine lacks");
}

TEST_F(BaselinesTest, AreNoneWithoutAGpuWhereTheyNeedCudnn) {
  have_cudnn();
  write_baseline_of_cudnn();
  EXPECT_THAT(baselines_of(problem_, layout_, false), IsEmpty());
  EXPECT_EQ(why_no_baselines(problem_, layout_, false), "cuDNN needs a GPU");
}

// The emulated device's compiler accepts one file.
TEST_F(BaselinesTest, InCppAreNoneWithoutAGpu) {
  write("reference/cudnn/one.cc", "extern \"C\" void solution(float*) {}\n");
  EXPECT_THAT(baselines_of(problem_, layout_, false), IsEmpty());
  EXPECT_EQ(why_no_baselines(problem_, layout_, false), "a baseline in C++ needs a GPU");
  const auto found = baselines_of(problem_, layout_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(request_for(found[0], "/out", layout_).kernels, IsEmpty()) << "it has none";
  EXPECT_TRUE(hash_of(files_of_baseline(found[0].source)).ok());
}

// As it is of cuDNN's.
TEST_F(BaselinesTest, OfAnotherLibraryAreNamedByIt) {
  have_cublas();
  write_baseline_of_cublas();
  problem_.precision = "tf32";
  const auto found = baselines_of(problem_, layout_);
  ASSERT_THAT(found, ElementsAre(Field(&BaselineSource::name, "cublas-fp32"),
                                 Field(&BaselineSource::name, "cublas-tf32")));
  EXPECT_EQ(found[0].source, at("reference/cublas/one.cc"));
  EXPECT_EQ(found[0].library, "cuBLAS 13.1.0");
  const BuildRequest request = request_for(found[1], "/out", layout_);
  EXPECT_THAT(request.defines, ElementsAre(Pair("KGRADE_TF32", "1")));
  EXPECT_THAT(request.include_directories, Contains(at("cublas/include")));
  EXPECT_THAT(request.libraries, ElementsAre(Field(&LinkedLibrary::file, "libcublas.so.13"),
                                             Field(&LinkedLibrary::file, "libcublasLt.so.13")));
  EXPECT_THAT(request.vendor_folders, ElementsAre(at("cublas/include"), at("cuda/lib"))) << "each once";
  EXPECT_EQ(why_no_baselines(problem_, layout_), "");
}

TEST_F(BaselinesTest, OfALibraryThatIsMissingAreLeftOutBesideAnother) {
  have_cudnn();
  write_baseline_of_cudnn();
  write_baseline_of_cublas();
  const auto names = [this] {
    std::vector<std::string> list;
    for (const BaselineSource& one : baselines_of(problem_, layout_)) list.push_back(one.name);
    return list;
  };
  EXPECT_THAT(names(), ElementsAre("cudnn-fp32"));
  EXPECT_EQ(why_no_baselines(problem_, layout_), "cuBLAS was not found when kgrade was configured");
  have_cublas();
  EXPECT_THAT(names(), ElementsAre("cudnn-fp32", "cublas-fp32"));
  EXPECT_EQ(why_no_baselines(problem_, layout_, false), "cuDNN needs a GPU; cuBLAS needs a GPU");
}

TEST_F(BaselinesTest, AreForFloat32Alone) {
  have_cudnn();
  write_baseline_of_cudnn();
  problem_.dtype = Dtype::float16;
  EXPECT_EQ(why_no_baselines(problem_, layout_), "baselines are for float32 only");
  EXPECT_TRUE(baselines_of(problem_, layout_).empty());
}

// The oracle has wider elements than the others, and only its usual macros.
TEST_F(BaselinesTest, ContestantsAreBuiltForTheType) {
  const auto request = [&](Role role) {
    return request_for(role, at("reference/one.cu"), "/out", layout_, Dtype::bfloat16);
  };
  EXPECT_EQ(request(Role::oracle).dtype, Dtype::float32);
  EXPECT_EQ(request(Role::oracle).defines.at("KGRADE_ELEMENT"), "float");
  EXPECT_EQ(request(Role::reference).dtype, Dtype::bfloat16);
  EXPECT_EQ(request(Role::reference).defines.at("KGRADE_ELEMENT"), "__nv_bfloat16");
  EXPECT_EQ(request_for(candidate(), "/out", layout_, Dtype::bfloat16).dtype, Dtype::bfloat16);
}

TEST_F(BaselinesTest, InPyTorchAreWhatTheTorchSectionWraps) {
  problem_.torch.emplace().wrapped = "torch.nn.Conv2d";
  problem_.torch->init = {{"kernel_size", false, {}, std::nullopt, {}},
                          {"bias", false, {}, ModuleValue{false, {false}}, {}}};
  problem_.precision = "fp32";
  const auto found = pytorch_baselines(problem_, layout_, WantedBaselines::usual, true);
  ASSERT_THAT(found, ElementsAre(Field(&BaselineSource::name, "pytorch-fp32"),
                                 Field(&BaselineSource::name, "pytorch-tf32")))
      << "TF32 also where nothing in it is accepted: published speedups are against it";
  EXPECT_EQ(
      found[0].module,
      "import torch\n\n\nclass Model(torch.nn.Conv2d):\n    def __init__(self, kernel_size, bias=False):\n"
      "        super().__init__(kernel_size=kernel_size, bias=bias)\n")
      << "whatever order and defaults PyTorch has";
  EXPECT_EQ(found[0].source, "torch.nn.Conv2d");
  EXPECT_TRUE(found[0].is_module());

  write("reference/torch/one.py", "class Model: pass\n");
  const auto own = pytorch_baselines(problem_, layout_, WantedBaselines::usual, true);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].module, "class Model: pass\n") << "a file beside the reference comes first";
}

TEST_F(BaselinesTest, InPyTorchAreCompiledWhereThatIsAskedFor) {
  problem_.torch.emplace().wrapped = "torch.nn.Conv2d";
  const auto names = [&](WantedBaselines wanted, bool on_gpu) {
    std::vector<std::string> list;
    for (const BaselineSource& one : pytorch_baselines(problem_, layout_, wanted, on_gpu))
      list.push_back(one.name);
    return list;
  };
  EXPECT_THAT(names(WantedBaselines::compiled, true),
              ElementsAre("pytorch-fp32", "pytorch-tf32", "pytorch-compile-fp32", "pytorch-compile-tf32"));
  EXPECT_THAT(names(WantedBaselines::compiled, false), ElementsAre("pytorch-fp32", "pytorch-tf32"));
  EXPECT_EQ(why_no_pytorch_baselines(problem_, layout_, WantedBaselines::compiled, false),
            "torch.compile is compared on a GPU only");
  EXPECT_THAT(names(WantedBaselines::none, true), IsEmpty());
  EXPECT_THAT(names(WantedBaselines::usual, false), IsEmpty());
  EXPECT_EQ(why_no_pytorch_baselines(problem_, layout_, WantedBaselines::usual, false),
            "PyTorch's times say nothing without a GPU");
  EXPECT_EQ(names(WantedBaselines::pytorch, false).size(), 2U) << "asked for by name";
}

TEST_F(BaselinesTest, InPyTorchOfAFileAreBesideItsModel) {
  problem_.reference = "one.py";
  problem_.torch.emplace();
  write("problems/one.py", "class Model: pass\n");
  const auto found = pytorch_baselines(problem_, layout_, WantedBaselines::usual, true);
  ASSERT_THAT(found, ElementsAre(Field(&BaselineSource::name, "pytorch-tf32")))
      << "the reference is pytorch-fp32";
  EXPECT_EQ(found[0].module, "class Model: pass\n");
}

TEST_F(BaselinesTest, InPyTorchAreNoneWithoutAModule) {
  for (const char* const wrapped : {"", "os.path", "torch.nnx"}) {
    problem_.torch.emplace().wrapped = wrapped;
    EXPECT_THAT(pytorch_baselines(problem_, layout_, WantedBaselines::usual, true), IsEmpty()) << wrapped;
    EXPECT_EQ(why_no_pytorch_baselines(problem_, layout_, WantedBaselines::usual, true), "");
  }
  problem_.torch->wrapped = "torch.nn.Conv2d";
  problem_.dtype = Dtype::float16;
  EXPECT_THAT(pytorch_baselines(problem_, layout_, WantedBaselines::usual, true), IsEmpty());
  EXPECT_EQ(why_no_pytorch_baselines(problem_, layout_, WantedBaselines::usual, true),
            "baselines are for float32 only");
}

TEST_F(BaselinesTest, NeedNoCudnnWhenTheyIncludeNoneOfIt) {
  write_plain_baseline();
  for (const bool on_gpu : {true, false}) {
    ASSERT_EQ(baselines_of(problem_, layout_, on_gpu).size(), 1U);
    EXPECT_EQ(baselines_of(problem_, layout_, on_gpu)[0].library, "") << "it calls none";
    EXPECT_EQ(why_no_baselines(problem_, layout_, on_gpu), "");
  }
}

TEST_F(BaselinesTest, LieBesideTheReferenceThatIsUsed) {
  write_plain_baseline();
  layout_.reference = at("elsewhere");
  EXPECT_EQ(baselines_of(problem_, layout_).at(0).source, at("reference/cudnn/one.cu"));
}

TEST_F(BaselinesTest, AreTheProblemsOwnWhereItsReferenceIsAFamilys) {
  write_plain_baseline();
  fs::remove(at("reference/one.cu"));
  write("reference/families/many.cu", "");
  problem_.family = "many";
  ASSERT_EQ(layout_.reference_source(problem_), at("reference/families/many.cu"));
  EXPECT_EQ(baselines_of(problem_, layout_).at(0).source, at("reference/cudnn/one.cu"));
}

TEST_F(BaselinesTest, AreBuiltWithCudnnWhereItIs) {
  have_cudnn();
  write_baseline_of_cudnn();
  problem_.precision = "tf32";
  const BuildRequest request = request_for(baselines_of(problem_, layout_).at(1), "/out", layout_);
  EXPECT_THAT(request.defines, ElementsAre(Pair("KGRADE_TF32", "1")));
  EXPECT_THAT(request.include_directories,
              ElementsAre(at("reference/cudnn"), at("reference"), at("cudnn/include")));
  EXPECT_THAT(*request.readable,
              UnorderedElementsAre(at("reference/cudnn/one.cu"), at("reference/cudnn/baseline/calls.h"),
                                   at("cudnn/include"), at("cudnn/lib"), at("cuda/lib")));
  ASSERT_EQ(request.libraries.size(), 2U);
  EXPECT_EQ(request.libraries[0].folder, at("cudnn/lib"));
  EXPECT_EQ(request.libraries[0].file, "libcudnn.so.9");
  EXPECT_EQ(request.libraries[1].folder, at("cuda/lib"));
  EXPECT_EQ(request.libraries[1].file, "libcublasLt.so.13");
}

TEST_F(BaselinesTest, OthersAreNotBuiltWithCudnn) {
  have_cudnn();
  for (const Role role : {Role::oracle, Role::reference}) {
    EXPECT_THAT(request_for(role, at("reference/one.cu"), "/out", layout_).libraries, IsEmpty());
  }
  const BuildRequest request = request_for(candidate(), "/out", layout_);
  EXPECT_THAT(request.libraries, IsEmpty());
  EXPECT_THAT(*request.readable, testing::Not(Contains(at("cudnn/lib"))));
}

TEST_F(BaselinesTest, ACandidateSeesNoBaseline) {
  write_plain_baseline();
  EXPECT_THAT(request_for(candidate(), "/out", layout_).hidden, Contains(at("reference")));
}

// With cuDNN and without: the emulated device does not use it.
TEST_F(BaselinesTest, APlainOneBuildsForTheEmulatedDevice) {
  write_plain_baseline();
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no C++ compiler is installed";
  const EmulatedToolchain toolchain(*compiler, layout_.share / "emulated");
  for (int round = 0; round < 2; ++round) {
    const BaselineSource baseline = baselines_of(problem_, layout_, false).at(0);
    const TemporaryDirectory output;
    const auto outcome = toolchain.build(problem_, request_for(baseline, output.path(), layout_));
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->status, BuildStatus::built) << outcome->log;
    have_cudnn();
  }
}

// Baselines of this tree, drawn by the commit, with the compiler and flags of a run on a GPU.
class RealBaselinesTest : public testing::TestWithParam<std::string> {};

TEST_P(RealBaselinesTest, BuildInBothClasses) {
  const Layout layout = Layout::find();
  const auto nvcc = find_nvcc();
  auto problem = load_problem(layout.problems.back() / (GetParam() + ".md"));
  ASSERT_TRUE(problem.ok());
  problem->precision = "tf32";
  ASSERT_TRUE(has_baseline_source(*problem, layout));
  const std::string missing = why_no_baselines(*problem, layout);
  if (!missing.empty() || !nvcc) GTEST_SKIP() << (nvcc ? missing : "nvcc was not found");
  const auto baselines = baselines_of(*problem, layout);
  ASSERT_EQ(baselines.size(), 2U);
  const VendorLibrary* const library = library_of_baseline(baselines[0].source, layout);
  ASSERT_NE(library, nullptr);
  const NvccToolchain toolchain(*nvcc, "sm_90", Sandbox::shared(layout.launcher));
  for (const BaselineSource& baseline : baselines) {
    const TemporaryDirectory output;
    const auto outcome = toolchain.build(*problem, request_for(baseline, output.path(), layout));
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome->status, BuildStatus::built) << baseline.name << "\n" << outcome->log;
    EXPECT_THAT(*linked_libraries(outcome->library), Contains(library->files.front().filename().string()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, RealBaselinesTest,
    testing::ValuesIn(test::drawn(
        {"batched-matmul", "diagonal-matmul", "lower-trig-matmul", "matmul-3d", "matmul-4d",
         "matmul-transposed-a", "matmul-transposed-b", "matmul-transposed-both", "matrix-multiplication",
         "matrix-vector", "square-matmul", "symmetric-matmul", "upper-trig-matmul",
         "conv-depthwise-2d-square-input-asym-kernel",
         "conv-transpose-2d-asym-input-asym-kernel-strided-grouped", "conv-transpose-2d-sq-input-asym-kernel",
         "conv-transpose-3d-asym-input-sq-kernel", "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm"},
        6)));

}  // namespace kgrade::baselines_test
