#include "build/emulated/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kgrade::emulated {
namespace {

struct Name {
  std::string_view text;
  bool prefix;  // every name that begins so
  std::string_view what;
};

constexpr Name names[] = {
    {"cudaTextureObject_t", false, "textures"},
    {"cudaCreateTextureObject", false, "textures"},
    {"textureReference", false, "textures"},
    {"tex1D", true, "textures"},
    {"tex2D", true, "textures"},
    {"tex3D", true, "textures"},
    {"texCubemap", true, "textures"},
    {"cudaBindTexture", true, "textures"},
    {"cudaSurfaceObject_t", false, "surfaces"},
    {"cudaCreateSurfaceObject", false, "surfaces"},
    {"surf1D", true, "surfaces"},
    {"surf2D", true, "surfaces"},
    {"surf3D", true, "surfaces"},
    {"cudaMallocArray", false, "CUDA arrays"},
    {"cudaMalloc3DArray", false, "CUDA arrays"},
    {"cudaArray_t", false, "CUDA arrays"},
    {"cudaGraph", true, "CUDA graphs"},
    {"cudaStreamBeginCapture", true, "CUDA graphs"},
    {"cudaStreamEndCapture", false, "CUDA graphs"},
    {"this_grid", false, "cooperative grid synchronisation"},
    {"grid_group", false, "cooperative grid synchronisation"},
    {"this_multi_grid", false, "cooperative grid synchronisation"},
    {"cudaLaunchCooperativeKernel", true, "cooperative grid synchronisation"},
    {"cudaLaunchKernelEx", true, "extended launches (clusters, programmatic dependent launch)"},
    {"this_cluster", false, "thread block clusters"},
    {"__cluster_dims__", false, "thread block clusters"},
    {"cuModuleLoad", true, "modules of the driver API"},
    {"cuLaunchKernel", true, "launches through the driver API"},
    {"nvrtcCreateProgram", false, "run-time compilation (NVRTC)"},
    {"__pipeline_memcpy_async", false, "asynchronous copies (cp.async)"},
    {"__syncthreads_multi", true, "multi-block barriers"},
};

// Folders and files of NVIDIA's libraries; a text that ends in '/' stands for all below it.
constexpr std::string_view library_headers[] = {
    "cub/",
    "thrust/",
    "cuda/",
    "cutlass/",
    "cute/",
    "nv/",
    "cublas",
    "cudnn",
    "cufft",
    "curand",
    "cusparse",
    "cusolver",
    "cutensor",
    "cudss",
    "nccl",
    "npp",
    "nvjpeg",
    "nvrtc",
    "nvtx3/",
    "nvToolsExt",
    "nvml",
    "cupti",
    "cuda_pipeline",
    "cuda_awbarrier",
    "cuda_texture",
    "texture_",
    "surface_",
    "cooperative_groups",
    "mma.h",
    "crt/",
    "cuda_fp16",
    "cuda_bf16",
    "cuda_fp8",
    "cuda_fp6",
    "cuda_fp4",
    "cudaGL",
    "cuda_gl",
    "cuda_egl",
    "cuda_d3d",
    "cudaProfiler",
    "cuda_profiler",
    "cudaTypedefs",
    "cuComplex",
    "sm_",
    "vector_functions",
    "math_functions",
    "device_atomic",
};

const Name* find_name(std::string_view text) {
  const auto matches = [&](const Name& name) {
    return name.prefix ? text.starts_with(name.text) : text == name.text;
  };
  const auto* found = std::find_if(std::begin(names), std::end(names), matches);
  return found == std::end(names) ? nullptr : found;
}

bool is_asm_word(const Token& token) { return token.is("asm") || token.is("__asm__") || token.is("__asm"); }

// asm volatile("" ::: "memory") holds no instruction: every compiler takes it as a barrier to itself.
bool is_empty_asm(Tokens tokens, std::size_t open) {
  return open + 2 < tokens.size() && tokens[open + 1].is("\"\"") &&
         (tokens[open + 2].is(")") || tokens[open + 2].text.starts_with(":"));
}

bool is_inline_ptx(Tokens tokens, std::size_t at) {
  if (!is_asm_word(tokens[at])) return false;
  std::size_t open = at + 1;
  while (open < tokens.size() && tokens[open].is_identifier()) ++open;  // volatile
  return open < tokens.size() && tokens[open].is("(") && !is_empty_asm(tokens, open);
}

bool is_texture_reference(Tokens tokens, std::size_t at) {
  return tokens[at].is("texture") && at + 1 < tokens.size() && tokens[at + 1].is("<");
}

bool is_wmma(Tokens tokens, std::size_t at) {
  return tokens[at].is("nvcuda") ||
         (tokens[at].is("wmma") && at + 1 < tokens.size() && tokens[at + 1].is("::"));
}

// tex2D and surf2D are names that a submission may give to something else unless they are called.
bool is_called(Tokens tokens, std::size_t at) {
  return at + 1 < tokens.size() && (tokens[at + 1].is("(") || tokens[at + 1].is("<"));
}

const Name* unsupported_name(Tokens tokens, std::size_t at) {
  const Name* name = find_name(tokens[at].text);
  if (name == nullptr) return nullptr;
  const bool fetch = name->text.starts_with("tex1") || name->text.starts_with("tex2") ||
                     name->text.starts_with("tex3") || name->text.starts_with("surf");
  return fetch && !is_called(tokens, at) ? nullptr : name;
}

}  // namespace

std::vector<Unsupported> find_unsupported_names(Tokens tokens) {
  std::vector<Unsupported> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_identifier()) continue;
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    if (member) continue;
    if (is_inline_ptx(tokens, i)) {
      result.push_back({i, "inline PTX (asm)"});
    } else if (is_texture_reference(tokens, i)) {
      result.push_back({i, "textures"});
    } else if (is_wmma(tokens, i)) {
      result.push_back({i, "tensor core instructions (wmma)"});
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
    result.push_back({launch.kernel, fmt::format("dynamic parallelism (a kernel that launches '{}')",
                                                 tokens[launch.kernel].text)});
  }
  return result;
}

std::optional<std::string> unsupported_header(const std::string& include) {
  for (const std::string_view header : library_headers) {
    if (include.starts_with(header)) return "<" + include + ">";
  }
  return std::nullopt;
}

std::string marker(const std::string& what) {
  return fmt::format("_Pragma(\"GCC error \\\"{}{}\\\"\") ", unsupported_mark, what);
}

Error unsupported_error(const std::string& what, const Location& location) {
  return Error{fmt::format("{} cannot run on the emulated device", what), unsupported_remedy, location};
}

}  // namespace kgrade::emulated
