#include "device/emulated/rewriter/unsupported.h"

#include <gtest/gtest.h>

#include "device/emulated/rewriter/rewrite.h"

namespace kgrade::emulated::unsupported_test {

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

}  // namespace kgrade::emulated::unsupported_test
