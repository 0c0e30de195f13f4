// Plans of cublasLt: the algorithms that its heuristics expect to be fast.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "baseline/library.h"
#include "baseline/plan.h"
#include "baseline/product.h"

namespace baseline {

class LightProduct {
 public:
  explicit LightProduct(const ColumnMajorProduct& p) {
    good_ = ok(cublasLtMatmulDescCreate(&description_, compute_type, CUDA_R_32F)) &&
            set_operation(CUBLASLT_MATMUL_DESC_TRANSA, p.left.transposed) &&
            set_operation(CUBLASLT_MATMUL_DESC_TRANSB, p.right.transposed) &&
            create(left_, p.left, p.batch) && create(right_, p.right, p.batch) &&
            create(output_, p.output, p.batch);
  }
  ~LightProduct() {
    if (description_ != nullptr) cublasLtMatmulDescDestroy(description_);
    for (const auto layout : {left_, right_, output_}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
  }
  LightProduct(const LightProduct&) = delete;
  LightProduct& operator=(const LightProduct&) = delete;

  // The likely ones first; none if cublasLt does not have any.
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms() const {
    constexpr int most = 16;
    std::vector<cublasLtMatmulHeuristicResult_t> found(most);
    cublasLtMatmulPreference_t preference = nullptr;
    int number = 0;
    const bool asked = good_ && light_handle() != nullptr &&
                       ok(cublasLtMatmulPreferenceCreate(&preference)) && limit(preference) &&
                       ok(cublasLtMatmulAlgoGetHeuristic(light_handle(), description_, left_, right_, output_,
                                                         output_, preference, most, found.data(), &number));
    if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
    found.resize(static_cast<std::size_t>(asked ? number : 0));
    return found;
  }

  bool run(const cublasLtMatmulHeuristicResult_t& chosen, const Operands& operands, void* workspace) const {
    return ok(cublasLtMatmul(light_handle(), description_, &alpha, operands.b, left_, operands.a, right_,
                             &beta, operands.output, output_, operands.output, output_, &chosen.algo,
                             workspace, chosen.workspaceSize, nullptr));
  }

 private:
  bool set_operation(cublasLtMatmulDescAttributes_t which, bool transposed) {
    const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    return ok(cublasLtMatmulDescSetAttribute(description_, which, &operation, sizeof operation));
  }

  static bool create(cublasLtMatrixLayout_t& layout, const ColumnMajor& matrix, std::int64_t batch) {
    const auto number = static_cast<std::int32_t>(batch);
    const std::int64_t distance = matrix.elements();
    return ok(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, static_cast<std::uint64_t>(matrix.rows),
                                         static_cast<std::uint64_t>(matrix.columns), matrix.leading())) &&
           ok(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &number,
                                               sizeof number)) &&
           ok(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &distance,
                                               sizeof distance));
  }

  // The workspace, and how far the tensors of any later call are aligned at least.
  static bool limit(cublasLtMatmulPreference_t preference) {
    const std::size_t workspace_bytes = std::size_t{64} << 20;
    const std::uint32_t promised_alignment = 16;
    if (!ok(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                 &workspace_bytes, sizeof workspace_bytes)))
      return false;
    for (const auto tensor :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      if (!ok(cublasLtMatmulPreferenceSetAttribute(preference, tensor, &promised_alignment,
                                                   sizeof promised_alignment)))
        return false;
    }
    return true;
  }

  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr;
  cublasLtMatrixLayout_t right_ = nullptr;
  cublasLtMatrixLayout_t output_ = nullptr;
  bool good_ = false;
};

class LightPlan : public Plan {
 public:
  LightPlan(std::shared_ptr<const LightProduct> product, const cublasLtMatmulHeuristicResult_t& chosen,
            int number)
      : product_(std::move(product)), chosen_(chosen), number_(number) {}

  std::string name() const override { return "cublasLt " + std::to_string(number_); }
  std::size_t workspace_bytes() const override { return chosen_.workspaceSize; }
  bool is_plain() const override { return !tf32_allowed; }
  bool run(const Operands& operands, void* workspace) override {
    return product_->run(chosen_, operands, workspace);
  }

 private:
  std::shared_ptr<const LightProduct> product_;
  cublasLtMatmulHeuristicResult_t chosen_;
  int number_;
};

inline std::vector<PlanMaker> light_plans(const ColumnMajorProduct& p) {
  const auto product = std::make_shared<const LightProduct>(p);
  std::vector<PlanMaker> makers;
  for (const auto& found : product->algorithms()) {
    if (!ok(found.state)) continue;
    const int number = static_cast<int>(makers.size());
    makers.push_back([product, found, number]() -> std::unique_ptr<Plan> {
      return std::make_unique<LightPlan>(product, found, number);
    });
  }
  return makers;
}

}  // namespace baseline
