// cheat: lets a library do the work
// row: 61
// caught-by: outputs_match
// device: any
// control: declared_libraries
// problem: problems/matrix-vector-alone.md
//
// The problem allows no libraries. The best one on the machine is opened at run time: cuBLAS if it is there,
// otherwise any other, as a first step. If none is found there is no answer. In the sandbox it finds none:
// trying is no offence, but the answer is wrong. Without a sandbox `libraries` would fail.
#include "libraries.cuh"
#include "matrix_vector.cuh"

struct Honest {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.value(row);
  }
};

using CreateHandle = int (*)(void**);
using Sgemv = int (*)(void*, int, int, int, const float*, const float*, int, const float*, int, const float*,
                      float*, int);

static void* open_any() {
  for (const char* name : libraries_by_use) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

// True if the library is cuBLAS and has answered. A row-major matrix is the transposed one to cuBLAS.
static bool multiply(void* library, const MatrixVector& problem) {
  const CreateHandle create = (CreateHandle)dlsym(library, "cublasCreate_v2");
  const Sgemv sgemv = (Sgemv)dlsym(library, "cublasSgemv_v2");
  static void* handle = nullptr;
  if (create == nullptr || sgemv == nullptr || (handle == nullptr && create(&handle) != 0)) return false;
  const float one = 1;
  const int rows = (int)problem.rows, columns = (int)problem.columns;
  cudaMemcpyAsync(problem.output, problem.bias, problem.rows * sizeof(float), cudaMemcpyDeviceToDevice);
  return sgemv(handle, 1, columns, rows, &one, problem.matrix, columns, problem.vector, 1, &one,
               problem.output, 1) == 0;
}

static void cheat(const MatrixVector& problem) {
  static void* const library = open_any();
  if (library == nullptr) return;
  if (!multiply(library, problem)) answer(problem, Honest());
}
