// Plans of cuBLAS itself: the general product, and those for vectors and triangles, which do less.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/product.h"

namespace baseline {

// One call of cuBLAS's.
template <class Call>
class BlasPlan : public Plan {
 public:
  BlasPlan(std::string name, bool is_plain, Call call)
      : name_(std::move(name)), is_plain_(is_plain), call_(std::move(call)) {}

  std::string name() const override { return name_; }
  std::size_t workspace_bytes() const override { return 0; }  // the handle has its own
  bool is_plain() const override { return is_plain_; }
  bool run(const Operands& operands, void* /*workspace*/) override { return ok(call_(operands)); }

 private:
  std::string name_;
  bool is_plain_;
  Call call_;
};

template <class Call>
PlanMaker blas_plan(const char* name, bool is_plain, Call call) {
  return [=]() -> std::unique_ptr<Plan> { return std::make_unique<BlasPlan<Call>>(name, is_plain, call); };
}

inline cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

inline PlanMaker general_plan(const ColumnMajorProduct& p) {
  return blas_plan("gemm", !tf32_allowed, [p](const Operands& operands) {
    const auto extent = [](std::int64_t value) { return static_cast<int>(value); };
    return cublasGemmStridedBatchedEx(
        handle(), operation(p.left.transposed), operation(p.right.transposed), extent(p.rows),
        extent(p.columns), extent(p.terms), &alpha, operands.b, CUDA_R_32F, extent(p.left.leading()),
        p.left.elements(), operands.a, CUDA_R_32F, extent(p.right.leading()), p.right.elements(), &beta,
        operands.output, CUDA_R_32F, extent(p.output.leading()), p.output.elements(), extent(p.batch),
        compute_type, CUBLAS_GEMM_DEFAULT);
  });
}

// b is a vector.
inline PlanMaker vector_plan(const Product& p) {
  const ColumnMajor a = column_major(p).right;
  return blas_plan("gemv", true, [a](const Operands& operands) {
    return cublasSgemv(handle(), operation(!a.transposed), static_cast<int>(a.rows),
                       static_cast<int>(a.columns), &alpha, operands.a, static_cast<int>(a.leading()),
                       operands.b, 1, &beta, operands.output, 1);
  });
}

// a is triangular, and the right factor as cuBLAS sees it. Its transpose is triangular on the other side.
inline PlanMaker triangular_plan(const Product& p) {
  const cublasFillMode_t side =
      p.a_triangle == Triangle::lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  return blas_plan("trmm", !tf32_allowed, [p, side](const Operands& operands) {
    const int rows = static_cast<int>(p.n);
    const int columns = static_cast<int>(p.m);
    return cublasStrmm(handle(), CUBLAS_SIDE_RIGHT, side, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rows, columns,
                       &alpha, operands.a, columns, operands.b, rows, operands.output, rows);
  });
}

// None if an extent is too large for them.
inline std::vector<PlanMaker> blas_plans(const Product& p) {
  for (const std::int64_t extent : {p.m, p.n, p.k, p.batch}) {
    if (extent > std::numeric_limits<int>::max()) return {};
  }
  std::vector<PlanMaker> makers = {general_plan(column_major(p))};
  if (p.n == 1 && p.batch == 1) makers.push_back(vector_plan(p));
  if (p.a_triangle != Triangle::none) makers.push_back(triangular_plan(p));
  return makers;
}

}  // namespace baseline
