"""Layers as ONNX operators, evaluated in float64 by two independent implementations.

`reference` is onnx's own ReferenceEvaluator (NumPy). `runtime` is ONNX Runtime's CPU kernels, which compute
convolutions in float32 only, so a Cast goes before and after them.

Operators around ConvTranspose fill the gaps of onnx 1.23 and ONNX Runtime 1.31 (see ModelBuilder):
- ReferenceEvaluator cannot compute groups. Split and Concat take them apart and put them together, which is
  how the operator is defined. ONNX Runtime can compute them directly.
- Both reject an output padding that is as large as the stride. Without any padding, the operator gives every element
  that a product reaches. Pad then adds the output padding, which no product reaches, and Slice removes the padding.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatchmethod

import numpy as np
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from problems import BatchNorm, Convolution, GroupNorm, Layer, MaxPool2d, Tanh

OPSET = 21
IR_VERSION = 10
LAST = np.iinfo(np.int64).max  # as the end of a Slice, this means the end of the axis
Tensors = dict[str, np.ndarray]


class ModelBuilder:
    """Collects the nodes for a chain of layers. The chain reads `input` and the tensors that the layers name."""

    def __init__(self, tensors: Tensors, for_runtime: bool):
        self._tensors = tensors
        self._for_runtime = for_runtime
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def build(self, chain: list[Layer]) -> ModelProto:
        value = "input"
        for layer in chain:
            value = self._add(layer, value)
        inputs = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, t.shape) for n, t in self._tensors.items()]
        outputs = [helper.make_tensor_value_info(value, TensorProto.DOUBLE, None)]
        graph = helper.make_graph(self._nodes, "problem", inputs, outputs, self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)],
                                 ir_version=IR_VERSION)

    def _node(self, operator: str, inputs: list[str], outputs: int = 1, **attributes) -> list[str]:
        names = [f"value_{len(self._nodes)}_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def _constant(self, array: np.ndarray) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    @singledispatchmethod
    def _add(self, layer, value: str) -> str:
        raise TypeError(f"no ONNX operator is known for {layer}")

    @_add.register
    def _(self, layer: Convolution, value: str) -> str:
        if not self._for_runtime:
            split = layer.transposed and layer.groups > 1
            return self._grouped(layer, value) if split else self._convolution(layer, value)
        value, weight = (self._cast(v, TensorProto.FLOAT) for v in (value, layer.weight))
        bias = self._cast(layer.bias, TensorProto.FLOAT) if layer.bias else ""
        return self._cast(self._convolution(replace(layer, weight=weight, bias=bias), value), TensorProto.DOUBLE)

    def _cast(self, value: str, element: int) -> str:
        return self._node("Cast", [value], to=element)[0]

    def _grouped(self, layer: Convolution, value: str) -> str:
        values = self._node("Split", [value], layer.groups, axis=1, num_outputs=layer.groups)
        weights = self._node("Split", [layer.weight], layer.groups, axis=0, num_outputs=layer.groups)
        parts = [self._convolution(replace(layer, groups=1, weight=w), v) for v, w in zip(values, weights)]
        return self._node("Concat", parts, axis=1)[0]

    def _convolution(self, layer: Convolution, value: str) -> str:
        if layer.transposed:
            return self._conv_transpose(layer, value)
        bias = [layer.bias] if layer.bias else []
        return self._node("Conv", [value, layer.weight, *bias], strides=layer.stride, dilations=layer.dilation,
                          pads=layer.padding * 2, group=layer.groups)[0]

    def _conv_transpose(self, layer: Convolution, value: str) -> str:
        if any(extra >= stride for extra, stride in zip(layer.output_padding, layer.stride)):
            return self._conv_transpose_padded(layer, value)
        return self._node("ConvTranspose", [value, layer.weight], strides=layer.stride,
                          dilations=layer.dilation, group=layer.groups, pads=layer.padding * 2,
                          output_padding=layer.output_padding)[0]

    def _conv_transpose_padded(self, layer: Convolution, value: str) -> str:
        none = (0,) * len(layer.stride)
        full = self._conv_transpose(replace(layer, padding=none, output_padding=none), value)
        longer = self._node("Pad", [full, self._integers(0, 0, *none, 0, 0, *layer.output_padding)])[0]
        ends = [-cut if cut else LAST for cut in layer.padding]
        axes = range(2, 2 + len(layer.stride))
        return self._node("Slice", [longer, self._integers(*layer.padding), self._integers(*ends),
                                    self._integers(*axes)])[0]

    def _integers(self, *values: int) -> str:
        return self._constant(np.array(values, np.int64))

    @_add.register
    def _(self, layer: BatchNorm, value: str) -> str:
        # The operator also updates running statistics, which are not part of the problem.
        channels = self._tensors[layer.weight].shape[0]
        mean, variance = self._constant(np.zeros(channels)), self._constant(np.ones(channels))
        return self._node("BatchNormalization", [value, layer.weight, layer.bias, mean, variance], 3,
                          epsilon=layer.epsilon, training_mode=1)[0]

    @_add.register
    def _(self, layer: GroupNorm, value: str) -> str:
        # The operator computes mean and variance in the stash type, float32 unless told otherwise.
        return self._node("GroupNormalization", [value, layer.weight, layer.bias], epsilon=layer.epsilon,
                          num_groups=layer.groups, stash_type=TensorProto.DOUBLE)[0]

    @_add.register
    def _(self, layer: Tanh, value: str) -> str:
        return self._node("Tanh", [value])[0]

    @_add.register
    def _(self, layer: MaxPool2d, value: str) -> str:
        return self._node("MaxPool", [value], kernel_shape=[layer.kernel] * 2,
                          strides=[layer.stride] * 2)[0]


def _float64(tensors: Tensors) -> Tensors:
    return {name: tensor.astype(np.float64) for name, tensor in tensors.items()}


def reference(chain: list[Layer], tensors: Tensors) -> np.ndarray:
    tensors = _float64(tensors)
    model = ModelBuilder(tensors, for_runtime=False).build(chain)
    return ReferenceEvaluator(model).run(None, tensors)[0]


def runtime(chain: list[Layer], tensors: Tensors) -> np.ndarray:
    tensors = _float64(tensors)
    model = ModelBuilder(tensors, for_runtime=True).build(chain)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, tensors)[0]
