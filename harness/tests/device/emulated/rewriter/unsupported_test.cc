#include "device/emulated/rewriter/unsupported.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "device/emulated/rewriter/rewrite.h"
#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::emulated::unsupported_test {

namespace fs = std::filesystem;

// "line: message" of the one error that a text gives; empty when it gives none.
std::string complaint(const std::string& text) {
  const auto result = rewrite_text(text, "x.cu");
  if (result) return "";
  EXPECT_EQ(result.errors().size(), 1u);
  EXPECT_EQ(result.error().location.file, "x.cu");
  EXPECT_EQ(result.error().remedy, "run it on a GPU: --device cuda");
  return std::to_string(result.error().location.line) + ": " + result.error().message;
}

std::string cannot(const std::string& what) { return what + " cannot run on the emulated device"; }

TEST(Unsupported, NamesInlinePtx) {
  EXPECT_EQ(complaint("int a;\n\nvoid f() { asm volatile(\"bar.sync 1;\"); }"),
            "3: " + cannot("inline PTX (asm)"));
  EXPECT_EQ(complaint("void f() { asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); }"),
            "1: " + cannot("inline PTX (asm)"));
  EXPECT_EQ(complaint("__asm__ __volatile__ (\"x\");"), "1: " + cannot("inline PTX (asm)"));
}

TEST(Unsupported, LetsAnEmptyAsmPass) { EXPECT_EQ(complaint("asm volatile(\"\" ::: \"memory\");"), ""); }

TEST(Unsupported, NamesTexturesAndSurfaces) {
  EXPECT_EQ(complaint("cudaTextureObject_t t;"), "1: " + cannot("textures (cudaTextureObject_t)"));
  EXPECT_EQ(complaint("texture<float, 2> t;"), "1: " + cannot("textures (texture)"));
  EXPECT_EQ(complaint("x = tex2D<float>(t, 1, 2);"), "1: " + cannot("textures (tex2D)"));
  EXPECT_EQ(complaint("surf2Dwrite(v, s, x, y);"), "1: " + cannot("surfaces (surf2Dwrite)"));
}

TEST(Unsupported, NamesGraphsCooperativeLaunchesAndModules) {
  EXPECT_EQ(complaint("cudaGraph_t g;"), "1: " + cannot("CUDA graphs (cudaGraph_t)"));
  EXPECT_EQ(complaint("cudaLaunchCooperativeKernel(f, g, b, a);"),
            "1: " + cannot("grid-wide synchronisation (cudaLaunchCooperativeKernel)"));
  EXPECT_EQ(complaint("cg::this_cluster().sync();"), "1: " + cannot("thread block clusters (this_cluster)"));
  EXPECT_EQ(complaint("cuModuleLoadData(&m, p);"),
            "1: " + cannot("modules of the driver API (cuModuleLoadData)"));
  EXPECT_EQ(complaint("using namespace nvcuda::wmma::experimental;"),
            "1: " + cannot("tensor core instructions on parts of a byte (wmma::experimental)"));
}

// Groups, wmma and copies run. Of grid groups only synchronisation is unsupported, which the device's headers
// report.
TEST(Unsupported, LetsGroupsAndWmmaPass) {
  EXPECT_EQ(complaint("cg::this_grid().thread_rank(); nvcuda::wmma::fill_fragment(f, 0.f);"), "");
  EXPECT_EQ(complaint("__pipeline_memcpy_async(a, b, 16);"), "");
}

TEST(Unsupported, NamesDynamicParallelism) {
  EXPECT_EQ(complaint("__global__ void child();\n__global__ void parent() {\n  child<<<1, 1>>>();\n}"),
            "3: " + cannot("dynamic parallelism (a kernel that launches 'child')"));
  EXPECT_EQ(complaint("__global__ void k() {}\nvoid host() { k<<<1, 1>>>(); }"), "");
  EXPECT_EQ(complaint("__device__ int table[] = {1, 2};\nvoid host() { k<<<1, 1>>>(); }"), "");
}

TEST(Unsupported, LetsOtherMeaningsOfTheNamesPass) {
  EXPECT_EQ(
      complaint("int tex2D = 1; object.this_grid(); p->cudaGraph_t; // asm(\"x\")\nauto s = \"asm(1)\";"),
      "");
}

TEST(Unsupported, ReportsTheFirstThingOnly) {
  EXPECT_EQ(complaint("int a;\ncudaGraph_t g;\nasm(\"x\");"), "2: " + cannot("CUDA graphs (cudaGraph_t)"));
}

// Code that the preprocessor may leave out becomes an error only if it is compiled.
TEST(Unsupported, MarksWhatMayBeLeftOut) {
  const auto conditional = rewrite_text("#ifdef __CUDA_ARCH__\nasm(\"x\");\n#endif\n", "x.cu");
  ASSERT_TRUE(conditional.ok());
  EXPECT_EQ(
      *conditional,
      "#ifdef __CUDA_ARCH__\n_Pragma(\"GCC error \\\"not on the emulated device: inline PTX (asm)\\\"\") "
      "asm(\"x\");\n#endif\n");
  const auto macro = rewrite_text("#define LANE(x) asm(\"mov %0, %laneid\" : \"=r\"(x))\n", "x.cu");
  ASSERT_TRUE(macro.ok());
  EXPECT_NE(macro->find("LANE(x) _Pragma("), std::string::npos) << *macro;
}

TEST(Unsupported, KnowsItsOwnTexts) {
  for (const char* text :
       {"inline PTX (asm)", "CUDA graphs (cudaGraph_t)", "textures (tex2D)", "CUB (<cub/cub.cuh>)",
        "dynamic parallelism (a kernel that launches 'k')",
        "dynamic parallelism (a kernel that launches '(')", "grid-wide synchronisation (grid_group::sync)"}) {
    EXPECT_TRUE(is_marker_text(text)) << text;
  }
  for (const char* text :
       {"", "accepted", "CUDA graphs", "CUDA graphs (accepted)", "accepted (cudaGraph_t)",
        "CUDA graphs (cudaGraph_t was accepted)", "CUDA graphs ( cudaGraph_t)", "CUB (<accepted>)",
        "accepted (<cub/cub.cuh>)", "dynamic parallelism (a kernel that launches 'nothing, it was accepted')",
        "dynamic parallelism (a kernel that launches 'k/* was accepted */')", "inline PTX (asm) "}) {
    EXPECT_FALSE(is_marker_text(text)) << text;
  }
}

TEST(Unsupported, KnowsTheHeadersOfNvidiasLibraries) {
  EXPECT_EQ(unsupported_header("cub/cub.cuh"), "CUB (<cub/cub.cuh>)");
  EXPECT_EQ(unsupported_header("thrust/device_vector.h"), "Thrust (<thrust/device_vector.h>)");
  EXPECT_EQ(unsupported_header("cute/tensor.hpp"), "CUTLASS (<cute/tensor.hpp>)");
  EXPECT_EQ(unsupported_header("cublasLt.h"), "cuBLAS (<cublasLt.h>)");
  EXPECT_EQ(unsupported_header("curand_kernel.h"), "cuRAND (<curand_kernel.h>)");
  for (const char* header : {"vector", "cuda_runtime.h", "cuda.h", "math.h", "my_kernels.cuh",
                             "cublas_utils.h", "cudnn_helper.h", "thrust", "common/cub/cub.cuh"}) {
    EXPECT_EQ(unsupported_header(header), std::nullopt) << header;
  }
}

// Whole sources that use what the emulated device cannot run, in the way submissions do. The message is one
// line that says where, what, and what to do.

BuildOutcome build(const std::string& source, const std::string& header = "") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "candidate.cu") << source;
  std::ofstream(folder.path() / "own.h") << header;
  const auto compiler = find_host_compiler();
  EXPECT_TRUE(compiler.ok());
  const Layout layout = Layout::find();
  const EmulatedToolchain toolchain(*compiler, layout.share / "emulated", nullptr, {},
                                    layout.workers / "precompiled");
  BuildRequest request;
  request.source = folder.path() / "candidate.cu";
  request.shown_as = "candidate.cu";
  request.output_directory = folder.path() / "out";
  fs::create_directories(request.output_directory);
  const auto outcome = toolchain.build_library(request);
  EXPECT_TRUE(outcome.ok());
  return outcome.ok() ? *outcome : BuildOutcome{};
}

struct Sample {
  const char* name;
  std::string source;
  int line;
  const char* what;
};

void PrintTo(const Sample& sample, std::ostream* stream) { *stream << sample.name; }

const std::string groups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";

const Sample samples[] = {
    {"PtxStatement",
     "__device__ int lane() {\n  int l;\n  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(l));\n"
     "  return l;\n}\n",
     3, "inline PTX (asm)"},
    {"PtxInAMacro",
     "#define BAR(n) asm(\"bar.sync %0;\" ::\"r\"(n))\n\n__global__ void k() {\n  BAR(1);\n}\n", 4,
     "inline PTX (asm)"},
    {"PtxInATemplate",
     "template <int N>\n__device__ void wait() {\n  __asm__ __volatile__(\"cp.async.wait_group %0;"
     "\" ::\"n\"(N));\n}\n",
     3, "inline PTX (asm)"},
    {"PtxUnderAnIf", "#if 1\n__device__ void f() {\n  asm(\"trap;\");\n}\n#endif\n", 3, "inline PTX (asm)"},
    {"PtxAddresses", "__device__ unsigned f(void* p) {\n  return (unsigned)__cvta_generic_to_shared(p);\n}\n",
     2, "addresses for inline PTX (__cvta_generic_to_shared)"},
    {"GridSync",
     groups + "__global__ void k(int* p) {\n  cooperative_groups::this_grid().sync();\n  *p = 1;\n}\n", 4,
     "grid-wide synchronisation (grid_group::sync)"},
    {"GridVariable",
     groups + "__global__ void k(int* p) {\n  auto g = cg::this_grid();\n  *p = 1;\n  g.sync();\n}\n", 6,
     "grid-wide synchronisation (grid_group::sync)"},
    {"GridFunction",
     groups + "__global__ void k(int* p) {\n  cg::grid_group g = cg::this_grid();\n  cg::sync(g);\n}\n", 5,
     "grid-wide synchronisation (cooperative_groups::sync)"},
    {"GridParameter",
     groups + "template <class G>\n__device__ void all(const G& g) {\n  g.sync();\n}\n"
              "__global__ void k() { all(cg::this_grid()); }\n",
     5, "grid-wide synchronisation (grid_group::sync)"},
    {"CooperativeLaunch",
     "__global__ void k() {}\nvoid run() {\n  cudaLaunchCooperativeKernel((void*)k, 1, 32, "
     "nullptr);\n}\n",
     3, "grid-wide synchronisation (cudaLaunchCooperativeKernel)"},
    {"Cluster", groups + "__global__ void k() {\n  auto c = cg::this_cluster();\n}\n", 4,
     "thread block clusters (this_cluster)"},
    {"ClusterAttribute", "\n__global__ void __cluster_dims__(2, 1, 1) k() {}\n", 2,
     "thread block clusters (__cluster_dims__)"},
    {"ClusterLaunch",
     "__global__ void k() {}\nvoid run() {\n  cudaLaunchAttribute a;\n  "
     "a.id = cudaLaunchAttributeClusterDimension;\n}\n",
     4, "thread block clusters (cudaLaunchAttributeClusterDimension)"},
    {"UntypedLaunch",
     "__global__ void k(int n) {}\nvoid run(void** a) {\n  cudaLaunchConfig_t c = {};\n  "
     "cudaLaunchKernelExC(&c, (void*)k, a);\n}\n",
     4, "launches of an untyped kernel pointer (cudaLaunchKernelExC)"},
    {"TextureFetch",
     "__device__ float f(unsigned long long t, int x, int y) {\n  return tex2D<float>(t, x, y);\n}\n", 2,
     "textures (tex2D)"},
    {"TextureReference", "\n\ntexture<float, 2> image;\n", 3, "textures (texture)"},
    {"TextureObject", "__global__ void k(cudaTextureObject_t t) {}\n", 1, "textures (cudaTextureObject_t)"},
    {"TextureDescription", "void f() {\n  struct cudaResourceDesc d;\n}\n", 2, "textures (cudaResourceDesc)"},
    {"Surface", "__global__ void k(cudaSurfaceObject_t s) {}\n", 1, "surfaces (cudaSurfaceObject_t)"},
    {"HipHeader", "\n#include <hip/hip_runtime.h>\n", 2, "HIP (<hip/hip_runtime.h>)"},
    {"HipLaunch", "void f() {\n  hipLaunchKernelGGL(k, 1, 32, 0, 0, x);\n}\n", 2, "HIP (hipLaunchKernelGGL)"},
    {"Graph", "void f(cudaStream_t s) {\n  cudaGraphExec_t g;\n  cudaGraphLaunch(g, s);\n}\n", 2,
     "CUDA graphs (cudaGraphExec_t)"},
    {"GraphCapture",
     "void f(cudaStream_t s) {\n  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n}\n", 2,
     "CUDA graphs (cudaStreamBeginCapture)"},
    {"DynamicParallelism",
     "__global__ void child() {}\n__global__ void parent() {\n  child<<<1, 32>>>();\n}\n", 3,
     "dynamic parallelism (a kernel that launches 'child')"},
    {"Cub",
     "#include <cub/cub.cuh>\n__global__ void k() {\n  typedef cub::BlockReduce<float, 256> Reduce;\n}\n", 1,
     "CUB (<cub/cub.cuh>)"},
    {"CubBlock", "\n#include <cub/block/block_reduce.cuh>\n", 2, "CUB (<cub/block/block_reduce.cuh>)"},
    {"Thrust", "#include <vector>\n#include <thrust/device_vector.h>\nthrust::device_vector<int> v;\n", 2,
     "Thrust (<thrust/device_vector.h>)"},
    {"Cutlass", "#include \"cutlass/gemm/device/gemm.h\"\n", 1, "CUTLASS (<cutlass/gemm/device/gemm.h>)"},
    {"Cute", "#include <cute/tensor.hpp>\n", 1, "CUTLASS (<cute/tensor.hpp>)"},
    {"Cublas", "#include <cublas_v2.h>\ncublasHandle_t handle;\n", 1, "cuBLAS (<cublas_v2.h>)"},
    {"CublasLt", "#include \"cublasLt.h\"\n", 1, "cuBLAS (<cublasLt.h>)"},
    {"Cudnn", "#include <cudnn.h>\n", 1, "cuDNN (<cudnn.h>)"},
    {"Curand", "#include <curand_kernel.h>\n", 1, "cuRAND (<curand_kernel.h>)"},
    {"Cufft", "#include <cufft.h>\n", 1, "cuFFT (<cufft.h>)"},
    {"Cusparse", "#include <cusparse.h>\n", 1, "cuSPARSE (<cusparse.h>)"},
    {"Ptx", "#include <cuda/ptx>\n", 1, "libcu++ (<cuda/ptx>)"},
    {"LibraryUnderAnIf", "#ifndef NO_CUB\n#include <cub/cub.cuh>\n#endif\n", 2, "CUB (<cub/cub.cuh>)"},
    {"TensorMap", "__global__ void k(const __grid_constant__ CUtensorMap m) {}\n", 1,
     "the tensor memory accelerator (CUtensorMap)"},
    {"SubByteWmma",
     "#include <mma.h>\nusing namespace nvcuda;\nwmma::fragment<wmma::matrix_a, 8, 8, 32, "
     "wmma::experimental::precision::s4, wmma::row_major> f;\n",
     3, "tensor core instructions on parts of a byte (wmma::experimental)"},
};

class UnsupportedSource : public testing::TestWithParam<Sample> {};

TEST_P(UnsupportedSource, IsNamedInOneLine) {
  const Sample& sample = GetParam();
  const BuildOutcome outcome = build(sample.source);
  EXPECT_EQ(outcome.status, BuildStatus::unsupported) << outcome.log;
  EXPECT_EQ(outcome.message, "candidate.cu:" + std::to_string(sample.line) + ": " + sample.what +
                                 " cannot run on the emulated device; run it on a GPU: --device cuda")
      << outcome.log;
}

INSTANTIATE_TEST_SUITE_P(All, UnsupportedSource, testing::ValuesIn(samples),
                         [](const auto& sample) { return std::string(sample.param.name); });

TEST(UnsupportedSources, NameTheHeaderThatHoldsIt) {
  const BuildOutcome outcome =
      build("#include \"own.h\"\n", "#pragma once\ninline void f() {\n  asm(\"x;\");\n}\n");
  EXPECT_EQ(outcome.status, BuildStatus::unsupported);
  EXPECT_THAT(outcome.message, testing::StartsWith("own.h:3: inline PTX (asm) cannot run"));
}

TEST(UnsupportedSources, PassWhereItIsLeftOut) {
  const std::string left_out[] = {
      "#if 0\n__device__ void f() { asm(\"trap;\"); }\n#endif\n",
      "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n#include <cub/cub.cuh>\n#endif\n",
      "#define TRAP() asm volatile(\"trap;\")\n__global__ void k() {}\n",
      groups + "__global__ void k(unsigned long long* p) { *p = cg::this_grid().thread_rank(); }\n",
      groups +
          "template <class G>\n__device__ void all(const G& g) { g.sync(); }\n"
          "__global__ void k() { all(cg::this_thread_block()); }\n",
  };
  for (const std::string& source : left_out) {
    const BuildOutcome outcome = build(source);
    EXPECT_EQ(outcome.status, BuildStatus::built) << source << outcome.log;
  }
}

// An unknown include is the candidate's own fault.
TEST(UnsupportedSources, AreNotThoseWithAMissingHeader) {
  for (const char* header : {"common.h", "helper_cuda.h", "cublas_utils.h"}) {
    const BuildOutcome outcome = build("\n#include \"" + std::string(header) + "\"\n");
    EXPECT_EQ(outcome.status, BuildStatus::compile_error);
    EXPECT_THAT(outcome.message, testing::StartsWith("candidate.cu:2:"));
    EXPECT_THAT(outcome.message, testing::HasSubstr(header));
  }
}

}  // namespace kgrade::emulated::unsupported_test
