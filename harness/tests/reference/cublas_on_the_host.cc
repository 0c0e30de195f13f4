#include "cublas_on_the_host.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "vendor/kernels.h"

namespace kgrade::test {

static cublasMath_t mode_of_handle = CUBLAS_DEFAULT_MATH;
cublasMath_t math_mode() { return mode_of_handle; }

HostCublas& host_cublas() {
  static HostCublas library;
  return library;
}

namespace {

bool is_transposed(cublasOperation_t operation) { return operation == CUBLAS_OP_T; }

// A column-major matrix, as it is stored.
struct Matrix {
  const float* values;
  std::int64_t leading;
  bool transposed;

  double at(std::int64_t row, std::int64_t column) const {
    return values[transposed ? column + row * leading : row + column * leading];
  }
};

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
              std::int64_t leading) {
  for (std::int64_t column = 0; column < n; ++column) {
    for (std::int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (std::int64_t t = 0; t < k; ++t) sum += a.at(row, t) * b.at(t, column);
      c[row + column * leading] = static_cast<float>(sum);
    }
  }
}

void note(const char* call) {
  host_cublas().last = call;
  host_cublas().called.insert(call);
}

struct Layout {
  std::int64_t rows, columns, leading, batch = 1, distance = 0;
};
struct Description {
  cublasComputeType_t compute;
  cublasOperation_t left = CUBLAS_OP_N, right = CUBLAS_OP_N;
};

template <class To, class Handle>
To* as(Handle handle) {
  return reinterpret_cast<To*>(handle);
}

}  // namespace
}  // namespace kgrade::test

using kgrade::test::as;
using kgrade::test::Description;
using kgrade::test::host_cublas;
using kgrade::test::is_transposed;
using kgrade::test::Layout;
using kgrade::test::note;

namespace baseline {

void sample(const float* tensor, float* samples, std::int64_t step, std::int64_t number) {
  for (std::int64_t i = 0; i < number; ++i) samples[i] = tensor[i * step];
}

}  // namespace baseline

extern "C" {

// --- The CUDA runtime: memory is the host's, and the last call says what the time is. ---

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 34;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  host_cublas().failed = true;
  return cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1024;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = host_cublas().last == host_cublas().fastest ? 1.0F : 10.0F;
  return cudaSuccess;
}
#undef cudaEventElapsedTime
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return cudaEventElapsedTime_v2(milliseconds, start, stop);
}

// --- cuBLAS ---

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  static int something;
  *handle = reinterpret_cast<cublasHandle_t>(&something);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  kgrade::test::mode_of_handle = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void*, const void* A, cudaDataType,
                                          int lda, long long strideA, const void* B, cudaDataType, int ldb,
                                          long long strideB, const void*, void* C, cudaDataType, int ldc,
                                          long long strideC, int batchCount, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  note("gemm");
  host_cublas().compute_types.insert(compute);
  for (int i = 0; i < batchCount; ++i) {
    kgrade::test::multiply(m, n, k, {static_cast<const float*>(A) + i * strideA, lda, is_transposed(transa)},
                           {static_cast<const float*>(B) + i * strideB, ldb, is_transposed(transb)},
                           static_cast<float*>(C) + i * strideC, ldc);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemv_v2(cublasHandle_t, cublasOperation_t trans, int m, int n, const float*,
                              const float* A, int lda, const float* x, int incx, const float*, float* y,
                              int incy) {
  note("gemv");
  const bool transposed = is_transposed(trans);
  if (incx != 1 || incy != 1) return CUBLAS_STATUS_INVALID_VALUE;
  const int rows = transposed ? n : m;
  const int columns = transposed ? m : n;
  kgrade::test::multiply(rows, 1, columns, {A, lda, transposed}, {x, columns, false}, y, rows);
  return CUBLAS_STATUS_SUCCESS;
}

// B times A, with only the triangle of A that `uplo` names.
cublasStatus_t cublasStrmm_v2(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diagonal, int m, int n, const float*,
                              const float* A, int lda, const float* B, int ldb, float* C, int ldc) {
  note("trmm");
  if (side != CUBLAS_SIDE_RIGHT || trans != CUBLAS_OP_N || diagonal != CUBLAS_DIAG_NON_UNIT)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  std::vector<float> triangle(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < n; ++row) {
      const bool kept = uplo == CUBLAS_FILL_MODE_UPPER ? row <= column : row >= column;
      if (kept) triangle[static_cast<std::size_t>(row + column * n)] = A[row + column * lda];
    }
  }
  kgrade::test::multiply(m, n, n, {B, ldb, false}, {triangle.data(), n, false}, C, ldc);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSdgmm(cublasHandle_t, cublasSideMode_t mode, int m, int n, const float* A, int lda,
                           const float* x, int incx, float* C, int ldc) {
  note("dgmm");
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row)
      C[row + column * ldc] = A[row + column * lda] * x[(mode == CUBLAS_SIDE_RIGHT ? column : row) * incx];
  }
  return CUBLAS_STATUS_SUCCESS;
}

// --- cublasLt ---

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static int something;
  *handle = reinterpret_cast<cublasLtHandle_t>(&something);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t) {
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Description{compute});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete as<Description>(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t which, const void* value,
                                              std::size_t) {
  auto& set = which == CUBLASLT_MATMUL_DESC_TRANSA ? as<Description>(description)->left
                                                   : as<Description>(description)->right;
  set = *static_cast<const cublasOperation_t*>(value);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t leading) {
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete as<Layout>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t which, const void* value,
                                                std::size_t) {
  if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    as<Layout>(layout)->batch = *static_cast<const std::int32_t*>(value);
  else
    as<Layout>(layout)->distance = *static_cast<const std::int64_t*>(value);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  static int something;
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(&something);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t, const void*,
                                                    std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t results[], int* number) {
  ++host_cublas().searches;
  *number = 2;
  for (int i = 0; i < *number; ++i) {
    results[i].state = CUBLAS_STATUS_SUCCESS;
    results[i].workspaceSize = 1024;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void*, const void* A,
                              cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                              const void*, const void*, cublasLtMatrixLayout_t, void* D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t*, void* workspace,
                              std::size_t bytes, cudaStream_t) {
  note("cublasLt");
  const auto& d = *as<Description>(description);
  const auto& a = *as<Layout>(Adesc);
  const auto& b = *as<Layout>(Bdesc);
  const auto& c = *as<Layout>(Ddesc);
  host_cublas().compute_types.insert(d.compute);
  if (workspace == nullptr || bytes != 1024) return CUBLAS_STATUS_INVALID_VALUE;
  const std::int64_t terms = d.left == CUBLAS_OP_T ? a.rows : a.columns;
  if (terms != (d.right == CUBLAS_OP_T ? b.columns : b.rows)) return CUBLAS_STATUS_INVALID_VALUE;
  for (std::int64_t i = 0; i < c.batch; ++i) {
    kgrade::test::multiply(c.rows, c.columns, terms,
                           {static_cast<const float*>(A) + i * a.distance, a.leading, is_transposed(d.left)},
                           {static_cast<const float*>(B) + i * b.distance, b.leading, is_transposed(d.right)},
                           static_cast<float*>(D) + i * c.distance, c.leading);
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
