// Plans of cuDNN's graph API: a graph of one convolution, the engines that cuDNN's heuristics suggest for it,
// and an execution plan for each.
// Source: cuDNN's documentation, "Graphs" (Operation Graphs, Engines and Engine Configurations, Heuristics).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "baseline/descriptor.h"
#include "baseline/plan.h"
#include "baseline/shape.h"

namespace baseline {

constexpr std::int64_t image_id = 'i';
constexpr std::int64_t filter_id = 'f';
constexpr std::int64_t response_id = 'r';

// The graph, and the descriptors that it consists of.
class ConvolutionGraph {
 public:
  ConvolutionGraph(const Convolution& shape, Order order)
      : backward_(shape.backward),
        order_(order),
        image_(tensor(shape.image, image_id)),
        filter_(tensor(shape.filter, filter_id)),
        response_(tensor(shape.response, response_id)),
        convolution_(convolution(shape)),
        operation_(operation()),
        graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation_);
    graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle());
    graph_.finalize();
  }

  bool good() const { return graph_.good(); }
  Order order() const { return order_; }

  // In the order in which cuDNN expects them to be fast.
  std::vector<Descriptor> configurations(cudnnBackendHeurMode_t mode) const {
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    heuristics.finalize();
    if (!heuristics.good()) return {};
    const auto number = heuristics.elements(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
    return heuristics.get_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                                      number);
  }

 private:
  Descriptor tensor(const Extents& extents, std::int64_t id) const {
    Descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    // The harness's buffers are aligned to 256 bytes; no engine needs more than 16.
    const std::int64_t promised_alignment = 16;
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, promised_alignment);
    made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents);
    made.set(CUDNN_ATTR_TENSOR_STRIDES, strides_of(extents, order_));
    made.finalize();
    return made;
  }

  static Descriptor convolution(const Convolution& shape) {
    Descriptor made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<std::int64_t>(shape.axes()));
    made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    // Our kernels are never flipped.
    made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
    made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, shape.stride);
    made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, shape.padding);
    made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, shape.padding);
    made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, shape.dilation);
    made.finalize();
    return made;
  }

  Descriptor operation() const {
    Descriptor made(backward_ ? CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
                              : CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    const auto either = [this](cudnnBackendAttributeName_t backward, cudnnBackendAttributeName_t forward) {
      return backward_ ? backward : forward;
    };
    made.set(either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
             image_);
    made.set(either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
             filter_);
    made.set(either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y),
             response_);
    made.set(either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC),
             convolution_);
    made.set(either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA),
             1.0f);
    made.set(
        either(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA),
        0.0f);
    made.finalize();
    return made;
  }

  bool backward_;
  Order order_;
  Descriptor image_, filter_, response_, convolution_, operation_, graph_;
};

// The name of an engine with its knobs, and what it does to the numbers.
class Engine {
 public:
  explicit Engine(const Descriptor& configuration) {
    const auto engines =
        configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
    if (engines.empty()) return;
    const auto index = engines[0].get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
    if (index.empty()) return;
    name_ = "engine " + std::to_string(index[0]) + knobs(configuration);
    notes_ = engines[0].get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                         CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  }

  // "engine 12, 2=5, 13=1": its index, then its knobs with their values. Empty if cuDNN does not say.
  const std::string& name() const { return name_; }

  // PyTorch's choice: no half-precision inputs in either class, and tensor cores only for TF32.
  bool is_allowed() const {
    return !name_.empty() && !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
           !has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) &&
           (tf32_allowed || !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  }

  bool is_plain() const {
    for (const auto note :
         {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD,
          CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
          CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13}) {
      if (has(note)) return false;
    }
    return true;
  }

 private:
  bool has(cudnnBackendNumericalNote_t note) const {
    return std::find(notes_.begin(), notes_.end(), note) != notes_.end();
  }

  static std::string knobs(const Descriptor& configuration) {
    std::string text;
    for (const Descriptor& knob :
         configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                       CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
      const auto type = knob.get<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE);
      const auto value = knob.get<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
      if (type.empty() || value.empty()) continue;
      text += ", " + std::to_string(static_cast<int>(type[0])) + "=" + std::to_string(value[0]);
    }
    return text;
  }

  std::string name_;
  std::vector<cudnnBackendNumericalNote_t> notes_;
};

class GraphPlan : public Plan {
 public:
  GraphPlan(std::shared_ptr<const ConvolutionGraph> graph, std::shared_ptr<const Descriptor> configuration,
            const Engine& engine)
      : graph_(std::move(graph)),
        configuration_(std::move(configuration)),
        name_(engine.name()),
        is_plain_(engine.is_plain()),
        plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle());
    plan_.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *configuration_);
    plan_.finalize();
    const auto bytes = plan_.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    good_ = plan_.good() && !bytes.empty();
    if (good_) workspace_bytes_ = static_cast<std::size_t>(bytes[0]);
  }

  bool good() const { return good_; }
  std::string name() const override { return name_; }
  std::size_t workspace_bytes() const override { return workspace_bytes_; }
  bool is_plain() const override { return is_plain_; }

  bool run(const Operands& operands, void* memory) override {
    static const std::vector<std::int64_t> ids = {image_id, filter_id, response_id};
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
             std::vector<void*>{operands.image, operands.filter, operands.response});
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::vector<void*>{memory});
    pack.finalize();
    return pack.good() && ok(cudnnBackendExecute(handle(), plan_.raw(), pack.raw()));
  }

 private:
  // The plan refers to these.
  std::shared_ptr<const ConvolutionGraph> graph_;
  std::shared_ptr<const Descriptor> configuration_;
  std::string name_;
  bool is_plain_;
  Descriptor plan_;
  bool good_ = false;
  std::size_t workspace_bytes_ = 0;
};

// The allowed plans that one heuristic suggests. `seen` has the names of those that another one has already
// suggested; the new names are added.
inline std::vector<PlanMaker> graph_plans(const std::shared_ptr<const ConvolutionGraph>& graph,
                                          cudnnBackendHeurMode_t mode, std::vector<std::string>& seen) {
  std::vector<PlanMaker> makers;
  if (!graph->good()) return makers;
  for (Descriptor& found : graph->configurations(mode)) {
    const Engine engine(found);
    if (!engine.is_allowed() || std::find(seen.begin(), seen.end(), engine.name()) != seen.end()) continue;
    seen.push_back(engine.name());
    auto configuration = std::make_shared<const Descriptor>(std::move(found));
    makers.push_back([graph, configuration, engine]() -> std::unique_ptr<Plan> {
      auto plan = std::make_unique<GraphPlan>(graph, configuration, engine);
      if (!plan->good()) return nullptr;
      return plan;
    });
  }
  return makers;
}

}  // namespace baseline
