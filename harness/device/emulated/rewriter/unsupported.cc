#include "device/emulated/rewriter/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kgrade::emulated {
namespace {

constexpr std::string_view inline_ptx = "inline PTX (asm)";
constexpr std::string_view texture_references = "textures (texture)";
constexpr std::string_view sub_byte_wmma = "tensor core instructions on parts of a byte (wmma::experimental)";
constexpr std::string_view device_launch_begin = "dynamic parallelism (a kernel that launches '";

struct Name {
  std::string_view text;
  bool prefix;  // true: also every name that begins with this text
  std::string_view what;
};

constexpr Name names[] = {
    {"cudaTextureObject_t", false, "textures"},
    {"cudaCreateTextureObject", false, "textures"},
    {"cudaDestroyTextureObject", false, "textures"},
    {"cudaTextureDesc", false, "textures"},
    {"cudaResourceDesc", false, "textures"},
    {"cudaResourceViewDesc", false, "textures"},
    {"cudaBindTexture", true, "textures"},
    {"cudaUnbindTexture", false, "textures"},
    {"cudaGetTextureReference", false, "textures"},
    {"textureReference", false, "textures"},
    {"tex1D", true, "textures"},
    {"tex2D", true, "textures"},
    {"tex3D", true, "textures"},
    {"texCubemap", true, "textures"},
    {"cudaSurfaceObject_t", false, "surfaces"},
    {"cudaCreateSurfaceObject", false, "surfaces"},
    {"cudaDestroySurfaceObject", false, "surfaces"},
    {"surf1D", true, "surfaces"},
    {"surf2D", true, "surfaces"},
    {"surf3D", true, "surfaces"},
    {"cudaMallocArray", false, "CUDA arrays"},
    {"cudaMalloc3DArray", false, "CUDA arrays"},
    {"cudaMallocMipmappedArray", false, "CUDA arrays"},
    {"cudaMipmappedArray_t", false, "CUDA arrays"},
    {"cudaArray", true, "CUDA arrays"},
    {"cudaMemcpyToArray", true, "CUDA arrays"},
    {"cudaMemcpy2DToArray", true, "CUDA arrays"},
    {"cudaCreateChannelDesc", false, "CUDA arrays"},
    {"cudaChannelFormatDesc", false, "CUDA arrays"},

    {"cudaGraph", true, "CUDA graphs"},
    {"cuGraph", true, "CUDA graphs"},
    {"cudaStreamBeginCapture", true, "CUDA graphs"},
    {"cudaStreamEndCapture", false, "CUDA graphs"},

    {"cudaLaunchCooperativeKernel", true, "grid-wide synchronisation"},
    {"cuLaunchCooperativeKernel", true, "grid-wide synchronisation"},
    {"this_multi_grid", false, "grid-wide synchronisation"},
    {"multi_grid_group", false, "grid-wide synchronisation"},

    {"this_cluster", false, "thread block clusters"},
    {"cluster_group", false, "thread block clusters"},
    {"__cluster_dims__", false, "thread block clusters"},
    {"__cluster", true, "thread block clusters"},
    {"cudaLaunchAttributeClusterDimension", false, "thread block clusters"},
    {"cudaOccupancyMaxActiveClusters", false, "thread block clusters"},
    {"cudaOccupancyMaxPotentialClusterSize", false, "thread block clusters"},
    {"cudaFuncAttributeNonPortableClusterSizeAllowed", false, "thread block clusters"},
    {"cudaLaunchAttributeCooperative", false, "grid-wide synchronisation"},
    {"cudaLaunchAttributeClusterScheduling", true, "thread block clusters"},
    {"cudaLaunchAttributePreferredClusterDimension", false, "thread block clusters"},
    {"cudaLaunchKernelExC", false, "launches of an untyped kernel pointer"},
    {"CUtensorMap", true, "the tensor memory accelerator"},
    {"cuTensorMapEncode", true, "the tensor memory accelerator"},
    {"cp_async_bulk", true, "the tensor memory accelerator"},
    {"memcpy_async_tx", false, "the tensor memory accelerator"},
    {"barrier_arrive_tx", false, "the tensor memory accelerator"},
    {"barrier_expect_tx", false, "the tensor memory accelerator"},

    {"cudaStreamFireAndForget", true, "dynamic parallelism"},
    {"cudaStreamTailLaunch", false, "dynamic parallelism"},
    {"cuModuleLoad", true, "modules of the driver API"},
    {"cuLaunchKernel", true, "launches through the driver API"},
    {"nvrtcCreateProgram", false, "run-time compilation"},
    {"__nvvm_", true, "intrinsics of the compiler's back end"},
    {"__cvta_", true, "addresses for inline PTX"},
    {"bmma_sync", false, "tensor core instructions on parts of a byte"},

    {"hipLaunchKernelGGL", false, "HIP"},
};

// A library by its headers. A name that ends in '/' is a folder.
struct Library {
  std::string_view what;
  std::string_view headers;  // separated by spaces
};

constexpr Library libraries[] = {
    {"CUB", "cub/"},
    {"Thrust", "thrust/"},
    {"libcu++", "cuda/ nv/"},
    {"CUTLASS", "cutlass/ cute/"},
    {"cuBLAS", "cublas.h cublas_v2.h cublas_api.h cublasLt.h cublasXt.h nvblas.h cublasdx.hpp"},
    {"cuDNN",
     "cudnn.h cudnn_v9.h cudnn_ops.h cudnn_cnn.h cudnn_adv.h cudnn_graph.h cudnn_backend.h "
     "cudnn_version.h cudnn_frontend.h"},
    {"cuFFT", "cufft.h cufftXt.h cufftw.h cufftdx.hpp"},
    {"cuRAND",
     "curand.h curand_kernel.h curand_uniform.h curand_normal.h curand_poisson.h "
     "curand_philox4x32_x.h curand_mtgp32.h curand_mtgp32_kernel.h curand_mtgp32_host.h"},
    {"cuSPARSE", "cusparse.h cusparse_v2.h cusparseLt.h"},
    {"cuSOLVER", "cusolverDn.h cusolverSp.h cusolverRf.h cusolverMg.h cusolver_common.h"},
    {"cuTENSOR", "cutensor.h cutensor/ cutensorMg.h"},
    {"cuDSS", "cudss.h"},
    {"NCCL", "nccl.h nccl_device.h"},
    {"HIP", "hip/ hipblas/ hipcub/ rocblas/ rocprim/"},
    {"NPP", "npp.h nppi.h npps.h nppcore.h nppdefs.h"},
    {"nvJPEG", "nvjpeg.h"},
    {"NVRTC", "nvrtc.h nvJitLink.h nvPTXCompiler.h"},
    {"NVTX", "nvtx3/ nvToolsExt.h nvToolsExtCuda.h nvToolsExtCudaRt.h"},
    {"NVML", "nvml.h"},
    {"CUPTI", "cupti.h"},
    {"NVSHMEM", "nvshmem.h nvshmemx.h"},
    {"textures",
     "texture_types.h texture_fetch_functions.h texture_indirect_functions.h cuda_texture_types.h"},
    {"surfaces", "surface_types.h surface_functions.h surface_indirect_functions.h cuda_surface_types.h"},
    {"graphics interoperability",
     "cudaGL.h cuda_gl_interop.h cudaEGL.h cuda_egl_interop.h cudaVDPAU.h "
     "cuda_vdpau_interop.h cuda_d3d11_interop.h"},
    {"the profiler's interface", "cuda_profiler_api.h cudaProfiler.h"},
    {"a CUDA header",
     "cooperative_groups/ crt/ mma.h cuda_pipeline.h cuda_pipeline_primitives.h "
     "cuda_awbarrier.h cuda_awbarrier_primitives.h cuda_fp16.h cuda_bf16.h cuda_fp8.h "
     "cuda_fp6.h cuda_fp4.h cuComplex.h cudaTypedefs.h library_types.h math_functions.h "
     "device_atomic_functions.h device_double_functions.h cuda_occupancy.h "
     "sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h "
     "sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h "
     "sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h"},
};

const Name* find_name(std::string_view text) {
  const auto matches = [&](const Name& name) {
    return name.prefix ? text.starts_with(name.text) : text == name.text;
  };
  const auto* found = std::find_if(std::begin(names), std::end(names), matches);
  return found == std::end(names) ? nullptr : found;
}

bool lists(std::string_view headers, std::string_view include) {
  for (std::size_t begin = 0; begin < headers.size();) {
    const std::size_t end = std::min(headers.find(' ', begin), headers.size());
    const std::string_view header = headers.substr(begin, end - begin);
    if (header.back() == '/' ? include.starts_with(header) : include == header) return true;
    begin = end + 1;
  }
  return false;
}

bool is_inline_ptx(Tokens tokens, std::size_t at) {
  if (!tokens[at].is("asm") && !tokens[at].is("__asm__") && !tokens[at].is("__asm")) return false;
  std::size_t open = at + 1;
  while (open < tokens.size() && tokens[open].is_identifier() && !is_search_over()) {  // volatile
    spend_search(1);
    ++open;
  }
  // asm volatile("" ::: "memory") holds no instruction. It is a barrier for the compiler only.
  const bool is_empty = open + 2 < tokens.size() && tokens[open + 1].is("\"\"") &&
                        (tokens[open + 2].is(")") || tokens[open + 2].text.starts_with(":"));
  return open < tokens.size() && tokens[open].is("(") && !is_empty;
}

// The part of `text` between `begin` and `end`, if it has both.
std::optional<std::string> between(std::string_view text, std::string_view begin, std::string_view end) {
  if (text.size() < begin.size() + end.size() || !text.starts_with(begin) || !text.ends_with(end))
    return std::nullopt;
  return std::string(text.substr(begin.size(), text.size() - begin.size() - end.size()));
}

bool is_one_name(const std::string& text) {
  const LexedSource lexed = lex(text);
  return lexed.tokens.size() == 1 && lexed.tokens[0].text == text && lexed.tokens[0].is_identifier();
}

const Name* unsupported_name(Tokens tokens, std::size_t at) {
  const Name* name = find_name(tokens[at].text);
  if (name == nullptr) return nullptr;
  const bool fetch = name->text.starts_with("tex1") || name->text.starts_with("tex2") ||
                     name->text.starts_with("tex3") || name->text.starts_with("surf");
  // Names such as tex2D and surf2D may be a submission's own if they are not called.
  const bool is_called = at + 1 < tokens.size() && (tokens[at + 1].is("(") || tokens[at + 1].is("<"));
  return fetch && !is_called ? nullptr : name;
}

}  // namespace

std::vector<Unsupported> find_unsupported_names(Tokens tokens) {
  std::vector<Unsupported> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_identifier()) continue;
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    if (member) continue;
    if (is_inline_ptx(tokens, i)) {
      result.push_back({i, std::string(inline_ptx)});
    } else if (tokens[i].is("texture") && i + 1 < tokens.size() && tokens[i + 1].is("<")) {
      result.push_back({i, std::string(texture_references)});
    } else if (tokens[i].is("experimental") && i >= 2 && tokens[i - 1].is("::") && tokens[i - 2].is("wmma")) {
      // The namespace wmma::experimental has operands of 1 and 4 bits.
      result.push_back({i, std::string(sub_byte_wmma)});
    } else if (const Name* name = unsupported_name(tokens, i)) {
      result.push_back({i, fmt::format("{} ({})", name->what, tokens[i].text)});
    }
  }
  return result;
}

std::vector<Unsupported> find_device_launches(Tokens tokens, const std::vector<Launch>& launches,
                                              const std::vector<Scope>& scopes) {
  std::vector<Unsupported> result;
  for (const Launch& launch : launches) {
    if (!scopes[launch.kernel].in_device_function) continue;
    result.push_back({launch.kernel, fmt::format("{}{}')", device_launch_begin, tokens[launch.kernel].text)});
  }
  return result;
}

std::optional<std::string> unsupported_header(const std::string& include) {
  for (const Library& library : libraries) {
    if (lists(library.headers, include)) return fmt::format("{} (<{}>)", library.what, include);
  }
  return std::nullopt;
}

std::string marker(const std::string& what) {
  return fmt::format("_Pragma(\"GCC error \\\"{}{}\\\"\") ", unsupported_mark, what);
}

bool is_marker_text(const std::string& what) {
  constexpr std::string_view fixed[] = {
      inline_ptx,
      texture_references,
      sub_byte_wmma,
      "grid-wide synchronisation (grid_group::sync)",
      "grid-wide synchronisation (grid_group::barrier_arrive)",
      "grid-wide synchronisation (grid_group::barrier_wait)",
      "grid-wide synchronisation (cooperative_groups::sync)",
      "cudaLaunchKernel() with an untyped kernel pointer",
  };
  if (std::find(std::begin(fixed), std::end(fixed), what) != std::end(fixed)) return true;
  // A marker's text in quotes or brackets is one word of the source, because a kernel expression begins with
  // a name, a bracket or an operator.
  if (const auto word = between(what, device_launch_begin, "')"))
    return is_one_name(*word) || *word == "(" || *word == "[" || *word == "::";
  const std::size_t open = what.find(" (");
  if (open == std::string::npos || !what.ends_with(')')) return false;
  const std::string word = what.substr(open + 2, what.size() - open - 3);
  if (const auto header = between(word, "<", ">")) return unsupported_header(*header) == what;
  const Name* const name = is_one_name(word) ? find_name(word) : nullptr;
  return name != nullptr && what == fmt::format("{} ({})", name->what, word);
}

Error unsupported_error(const std::string& what, const Location& location) {
  return Error{fmt::format("{} cannot run on the emulated device", what), unsupported_remedy, location};
}

}  // namespace kgrade::emulated
