"""A candidate in Python. It is loaded, gets the description of a case, is rehearsed, is locked, and is called."""

import base64
import ctypes
import importlib.util
import os
import re
import sys

import torch

from . import (backward, checked_outputs, computed_inputs, device_memory, distributions, extensions, forward_arguments,
               kept_answers, kept_buffers, late_compiles, matrix_kernels, module_state, operator_trace, own_memory,
               popcorn, problem_names, stand_ins, streams, trusted_module)
from .drawn_tensors import memory_in
from .errors import SignatureMismatch, Unsupported, WrongAnswer, place_of
from .tensors import TYPES, Lender, address_of_result, copy_to, is_same, unwatched

FOLDER = "/tmp/submission"

# The errors of PyTorch's own search for a GPU, which does not use the functions that emulated_cuda.py replaces. The
# last one is raised if the machine has a GPU, which a worker of the emulated device cannot open.
NEEDS_GPU = re.compile(r"CUDA driver version is insufficient|no NVIDIA driver|No CUDA GPUs|no CUDA-capable device|"
                       r"error from cudaGetDeviceCount\(\)")


def without_tf32():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def with_axes(result, shape, is_of_file):
    """A module's result, with the axes of the lent memory. A loss has no axes. A problem's output may have more axes of
    extent 1 than the module's result, most often after a reduction. The result of a file's Model keeps its axes."""
    def longer(extents):
        return [extent for extent in extents if extent != 1]

    may_differ = not result.shape or not is_of_file
    return result.reshape(shape) if may_differ and longer(result.shape) == longer(shape) else result


def with_type(result, dtype, is_of_file):
    """PyTorch's indices and counts are int64. If a problem has a narrower type, a module's result is converted to it. A
    value outside of the type's range becomes the nearest end of the range. The integers of a file's Model keep their
    type. A floating result of a wider type than the file's is right, and is rounded to the file's type."""
    if is_of_file and dtype.is_floating_point and result.is_floating_point() and result.dtype.itemsize > dtype.itemsize:
        return result.to(dtype)
    is_narrower = not dtype.is_floating_point and dtype != torch.bool and dtype.itemsize < torch.int64.itemsize
    if result.dtype != torch.int64 or not is_narrower or is_of_file:
        return result
    limits = torch.iinfo(dtype)
    return result.clamp(limits.min, limits.max).to(dtype)


class Call:
    """The data for calls of one case: its shapes and scalars, and the instance if the candidate is a module."""

    def __init__(self, contract, description):
        self.shapes = {name: tuple(shape) for name, shape in description["shapes"].items()}
        self.arrays = {
            name: (ctypes.c_longlong * max(1, len(shape)))(*shape) for name, shape in self.shapes.items()}
        self.scalars = description["scalars"]
        self.types = description["types"]
        self.dtype = TYPES[description["dtype"]][0]
        # The type that a Model and its candidates are cast to, as KernelBench's precision option does; None: they keep
        # their types.
        is_cast = contract.get("of_file") and not contract.get("keeps_types") and self.dtype != torch.float32
        self.narrow_type = self.dtype if is_cast else None
        # The types that get_inputs() and Model give the tensors. The oracle's tensors of the problem's type are lent in
        # float32.
        of_file = self.dtype if contract.get("keeps_types") else torch.float32
        own = description.get("own_types", ())
        self.file_types = {name: TYPES[kind][0] if name in own else of_file for name, kind in self.types.items()}
        self.module_call = description.get("module")
        # Arguments of forward(), axes of inputs and the number in the file's CASES. A file with several cases has others
        # in each.
        self.forward, self.axes, self.case = [], {}, None
        if contract["torch"]:
            own = self.module_call or {}
            self.forward, self.axes = (own.get(key, contract["torch"][key]) for key in ("forward", "axes"))
            self.case = own.get("case")
        self.copied = [name for each in self.forward for name in forward_arguments.copied_names(each)]
        # For a module, the number of axes of forward()'s arguments. Later axes of the problem have an extent of 1.
        self.rank = (self.module_call or {}).get("rank")
        self.module = None
        self.buffers = None  # only for a module: the buffers that are put back
        self.own_memory = None  # only for a candidate that is a module
        self.answers = kept_answers.KeptAnswers()
        # Whether the problem is a file with a Model.
        self.is_of_file = contract.get("of_file", False)
        self.key = repr((sorted(self.shapes.items()), sorted(self.scalars.items()), self.module_call))
        self.was_lent_anew = False
        self.inputs = [p for p in contract["parameters"] if p["role"] == "input"]
        self.outputs = [p for p in contract["parameters"] if p["role"] == "output"]
        self.output_types = [TYPES[self.types[p["name"]]][0] for p in self.outputs]
        views = contract["torch"]["views"] if contract["torch"] else ()
        self.may_be_inputs = [p["name"] in views for p in self.outputs]


class Contestant:
    """The contestant of one process. `bundle` comes from compile/python_candidate.cc: a candidate, or, with a "role",
    the Model of a problem's file."""

    def __init__(self, library, bundle):
        self.library = library
        self.contract = bundle["contract"]
        self.role = bundle.get("role")
        self.entry = bundle["entry"] if self.role is None else trusted_module.ENTRY
        self.source = bundle["source"].removeprefix("\ufeff")
        self.shown = bundle["shown_as"]
        self.files = {}
        self.beside, self.refused = bundle.get("beside", {}), bundle.get("refused", {})
        self.stand_ins = bundle.get("stand_ins", [])
        self.lender = Lender(library.functions)
        self.calls = {}
        self.current = None
        self.is_locked = False
        self.is_put_back = False
        self.seeds = []  # one for each launch of this call that has not begun
        self.function = None
        self.module_class = None
        self.left_out = set()  # weights that the module does not have
        self.inputs = None
        self.is_compiled = False
        self.is_checking = False  # whether the next call hands a candidate's outputs to check() of the problem's file
        self.traced = operator_trace.Trace(self.source)
        self.extensions = extensions.Extensions(library)
        self.compiled_late = None
        self.limitation = None  # a function that names the limitation of Triton's interpreter behind an error
        if library.is_emulated:
            from . import emulated_cuda, emulated_triton

            emulated_cuda.install()
            self.limitation = emulated_triton.install()
            self.end_on_default_stream = lambda: None
        else:
            streams.join_changes()
            self.end_on_default_stream = streams.to_default

    # Loading.

    def needs_package(self, error):
        """Whether an error says that this machine lacks a package, and the source imports this package when it is
        loaded. The source is read for that, so that a candidate cannot become `unsupported` by an exception alone."""
        if not isinstance(error, ModuleNotFoundError) or not error.name:
            return False
        return self.role is not None or any(
            error.name.split(".")[0] in distributions.imported_when_loaded(each)
            for each in [self.source, *self.modules_beside().values()])

    def modules_beside(self):
        """The texts of the Python files beside the candidate's file, by their names."""
        return {name: base64.b64decode(content).decode(errors="replace") for name, content in self.beside.items()
                if name.endswith(".py")}

    def load(self):
        without_tf32()
        torch.set_grad_enabled(False)
        path = self.write_source()
        self.extensions.install(self.shown, self.source, FOLDER)
        module = self.import_source(path)
        # Only a candidate may turn TF32 on. It is then judged by the tolerances of TF32.
        if self.role is not None:
            without_tf32()
        name = self.entry["name"]
        target = getattr(module, name, None)
        if target is None:
            raise SignatureMismatch(f"the file defines no '{name}' when it has run")
        if self.entry["kind"] == "module":
            self.module_class = target
        else:
            self.function = target
        if self.role == trusted_module.ORACLE:
            self.inputs = computed_inputs.ComputedInputs(module, self.library.is_emulated)
        self.end_on_default_stream()

    def write_source(self):
        os.makedirs(FOLDER, exist_ok=True)
        # Some candidates write their sources or builds into the current folder.
        os.chdir(FOLDER)
        stem = "".join(c if c.isalnum() else "_" for c in os.path.basename(self.shown).rsplit(".", 1)[0])
        path = os.path.join(FOLDER, f"submission_{stem}.py")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.source)
        self.files[path] = self.shown
        self.write_files_beside()
        return path

    def write_files_beside(self):
        """Writes copies of the files beside the candidate's file, at the same relative paths."""
        for name, content in self.beside.items():
            path = os.path.join(FOLDER, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # A worker may not change permissions later.
            with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o444)) as file:
                file.write(base64.b64decode(content))
            self.files[path] = name

    def why_not_there(self, error):
        """Why a file beside the candidate was not copied, if the error is about such a file; else ""."""
        if isinstance(error, ModuleNotFoundError) and error.name:
            sought = error.name.partition(".")[0] + ".py"
        else:
            sought = os.path.basename(str(getattr(error, "filename", None) or ""))
        for name, reason in self.refused.items():
            if sought and sought in (name, os.path.basename(name)):
                return f"; '{name}' {reason}"
        return ""

    def import_source(self, path):
        """Runs the file as `python FILE` does: the file is the only argument, and its folder comes first in the
        module path."""
        sys.argv = [path]
        sys.path.insert(0, FOLDER)
        popcorn.install(self.source)
        stand_ins.install(self.stand_ins)
        name = os.path.basename(path)[:-3]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        if self.role is None and self.contract.get("model"):
            problem_names.put_into(vars(module), self.contract["model"], FOLDER)
        # exec_module() is not used: it takes the bytecode of an earlier text if that had the same size and was written
        # in the same second.
        exec(spec.loader.source_to_code(spec.loader.get_data(path), path), vars(module))  # pylint: disable=exec-used
        stand_ins.refuse_from_now_on()
        if self.role is not None:
            backward.define_if_asked(vars(module))
        return module

    # A case.

    def describe(self, description):
        if "variant" in description:
            self.is_compiled = trusted_module.choose(description["variant"])
            return
        if "checks" in description:
            self.is_checking = True
            return
        if "leaves" in description:
            # Memory is released only here. It is kept between calls, since a driver that clears memory after one call
            # slows down the next one.
            for call in self.calls.values():
                call.answers.clear()
            device_memory.release()
            return
        call = Call(self.contract, description)
        if self.role is None:
            # Cases of the same sizes draw different weights. For a trusted Model, is_stale() notices that the weights
            # have changed.
            call.key = repr((description["number"], call.key))
        call = self.calls.setdefault(call.key, call)
        call.was_lent_anew = True
        if self.current is not None:
            self.current.answers.clear()
        self.current = call

    def draw_inputs(self, seed, addresses):
        """Writes the inputs that a problem's file computes under `seed` to `addresses`, one per parameter; 0 for
        others."""
        call = self.current
        values = self.inputs.draw(seed, call.forward, call.case)
        for position, parameter in enumerate(self.contract["parameters"]):
            if not addresses[position]:
                continue
            name = parameter["name"]
            lent = self.lent(call, name, addresses[position], call.shapes[name])
            copy_to(lent, computed_inputs.chosen(values, call.forward, name, tuple(lent.shape), call.file_types[name]))
        self.inputs.finish()

    def begin(self, seeds):
        """Call this before the launches of a call. It is not timed. `seeds`: one per launch, for the random numbers
        that the launch draws."""
        self.seeds = list(seeds)
        if self.current is not None:
            self.current.answers.begin()
        self.is_put_back = False
        self.put_back_buffers()

    def put_back_buffers(self):
        """Call this once per launch, so that each launch sees the same running statistics as the first one."""
        if not self.is_put_back and self.current is not None and self.current.buffers is not None:
            self.current.buffers.put_back()
        self.is_put_back = True

    def call(self, arguments):
        call = self.current
        self.put_back_buffers()
        self.is_put_back = False
        seed = self.seeds.pop(0)
        tensors = self.lend(arguments, call)
        if self.is_checking:
            self.is_checking = False
            checked_outputs.check(self.inputs.module, call, tensors)
            return
        if self.module_class is not None and (call.module is None or self.is_stale(call, tensors)):
            self.build_module(call, tensors)
        if self.is_locked or self.role is not None:
            results = self.run(call, tensors, seed)
        else:
            with self.traced.recording(call.key):
                results = self.run(call, tensors, seed)
        if call.own_memory is not None:
            results = call.own_memory.apart(results)
        if call.buffers is not None:
            results = call.buffers.apart(results)
        self.end_on_default_stream()
        if results is None:
            if not self.entry["writes"]:
                raise WrongAnswer(f"'{self.entry['name']}' returned None; return {self.output_words(call)}")
            return
        if self.entry["writes"]:
            if self.are_outputs(results, call, tensors):
                return
            if self.entry.get("may_return"):
                self.write_results(call, tensors, results)
                return
            raise WrongAnswer(
                f"'{self.entry['name']}' takes its outputs as arguments and returned something; return nothing")
        if self.role == trusted_module.ORACLE:
            # The oracle's results are read from the memory that the referee lent.
            self.write_results(call, tensors, results)
        else:
            self.take_results(arguments, call, results, tensors)

    def lend(self, arguments, call):
        """Makes new tensors over the lent memory for this call, by name."""
        tensors = {}
        for position, parameter in enumerate(self.contract["parameters"]):
            name = parameter["name"]
            if parameter["role"] == "scalar":
                continue
            shape = call.shapes[name] if self.module_class is None else call.shapes[name][:call.rank]
            tensors[name] = self.lent(call, name, arguments[position], shape)
        return tensors

    def lent(self, call, name, address, shape):
        """A tensor over lent memory."""
        dtype, code, bits = TYPES[call.types[name]]
        tensor = self.lender.tensor(address, call.arrays[name], len(shape), code, bits)
        if tensor.dtype != dtype:
            tensor = tensor.view(dtype)
        axes = call.axes.get(name)
        if axes is None:
            return tensor
        return tensor.permute(axes) if axes else tensor.reshape(())

    def run(self, call, tensors, seed):
        if self.module_class is not None:
            if call.is_of_file:
                trusted_module.seed_forward(seed)
            if self.role is not None:
                return call.module.forward_with({**call.scalars, **tensors}, call.output_types, call.may_be_inputs,
                                                self.is_compiled)
            return call.module.forward_with({**call.scalars, **tensors})
        if self.entry.get("is_nested"):
            return self.run_with_data(call, tensors)
        if self.entry["kind"] == "call":
            positional, keywords = (forward_arguments.argument_of(each, {**call.scalars, **tensors}) for each in call.forward)
            return module_state.flat(self.function(*positional, **keywords))
        if call.copied:
            tensors = {**tensors, **{name: forward_arguments.copy_of(tensors[name]) for name in call.copied}}
        values = [tensors[name] if name in tensors else call.scalars[name] for name in self.entry["arguments"]]
        if self.entry["kind"] == "data":
            return self.function(values[0] if self.entry.get("is_bare") else tuple(values))
        return self.function(*values[: self.entry["positional"]],
                             **dict(zip(self.entry["arguments"][self.entry["positional"]:],
                                        values[self.entry["positional"]:])))

    def run_with_data(self, call, tensors):
        """Calls `custom_kernel(data)` with the argument of the Model's forward. Its answer is what it returns, or else the
        tensors of `data` whose memory was left to it."""
        data = forward_arguments.argument_of(call.forward[0], {**call.scalars, **tensors})
        results = self.function(data)
        if results is None:
            results = forward_arguments.blanks_of(call.forward[0], data)
        return module_state.flat(results)

    def build_module(self, call, tensors):
        if self.is_locked and self.role is None:
            raise Unsupported("builds a module in a measured call")
        if call.module_call is None:
            raise SignatureMismatch("no Model can state this case: it breaks 'require' of the problem's section 'torch'")
        call.module = module_state.build(self.module_class, call.module_call, self.contract, tensors, self.source,
                                         self.role is not None, call.narrow_type)
        self.left_out.update(call.module.left_out)
        device = next(iter(tensors.values())).device
        if call.narrow_type is not None:
            trusted_module.convert_attributes(call.module.module, device, call.narrow_type)
        # The weights are new, and comparing them would wait for the device.
        call.was_lent_anew = False
        if self.role is not None:
            weights = {name: tensors[name] for name in self.contract["torch"]["weights"]}
            call.module = trusted_module.TrustedModule(call.module, self.role, device, weights, call.is_of_file,
                                                       call.narrow_type, call.file_types, call.dtype)
            call.buffers = kept_buffers.KeptBuffers(call.module.built.module)
            return
        call.own_memory = own_memory.OwnMemory(call.module.module)
        if call.is_of_file:
            changing = {name.rpartition(".")[2] for name in self.contract["torch"]["free"]}
            call.buffers = kept_buffers.KeptBuffers(call.module.module, changing)

    def is_stale(self, call, tensors):
        """Whether the weights have changed, as a trusted process may serve several candidates. The oracle always
        compares them. Other roles are timed, so they compare the weights only after these have been lent anew."""
        looks = self.role == trusted_module.ORACLE or (self.role is not None and call.was_lent_anew)
        call.was_lent_anew = False
        return looks and not call.module.was_built_with(tensors)

    @staticmethod
    def are_outputs(results, call, tensors):
        """Whether a function that writes its outputs also returns them."""
        results = results if isinstance(results, (tuple, list)) else (results,)
        outputs = [tensors[output["name"]] for output in call.outputs]
        return len(results) == len(outputs) and all(is_same(a, b) for a, b in zip(results, outputs))

    def take_results(self, arguments, call, results, tensors):
        positions = self.contract["output_positions"]
        with unwatched():
            inputs = memory_in(tensors.values()) if any(call.may_be_inputs) else set()
            for (_, address, dense), position, may_be_input in zip(
                    self.dense_results(call, results), positions, call.may_be_inputs):
                is_input = may_be_input and not inputs.isdisjoint(memory_in([dense]))
                arguments[position] = call.answers.keep(dense, address, not self.seeds, is_input)

    def write_results(self, call, tensors, results):
        """Copies a function's results to the outputs that it was lent, if it returned other tensors."""
        with unwatched():
            for name, _, dense in list(self.dense_results(call, results)):
                copy_to(tensors[name], dense)

    def dense_results(self, call, results):
        """Yields name, address and tensor of each output that was returned."""
        results = results if isinstance(results, (tuple, list)) else (results,)
        if len(results) != len(call.outputs):
            raise WrongAnswer(f"returned {len(results)} values; return {self.output_words(call)}")
        for result, parameter in zip(results, call.outputs):
            name = parameter["name"]
            dtype = TYPES[call.types[name]][0]
            if (self.module_class is not None or call.is_of_file) and isinstance(result, torch.Tensor):
                result = with_type(with_axes(result, call.shapes[name], call.is_of_file), dtype, call.is_of_file)
            yield name, *address_of_result(result, name, call.shapes[name], dtype, self.library.is_emulated)

    @staticmethod
    def output_words(call):
        names = [f"'{output['name']}'" for output in call.outputs]
        return f"the output {names[0]}" if len(names) == 1 else "the outputs " + ", ".join(names) + " as a tuple"

    # After the rehearsal.

    def lock(self):
        self.is_locked = True
        for call in self.calls.values():
            if call.own_memory is not None:
                call.own_memory.look_again()
        late_compiles.watch(self)
        report = {
            "operators": self.traced.names(),
            "headers": self.extensions.headers_used(),
            "left_out": sorted(self.left_out),
        }
        if self.contract.get("reports_kernels"):
            report["kernels"] = self.kernels()
        self.library.report(report)

    def kernels(self):
        """The compiled kernels whose matrix units the record names, or None if they are not known."""
        if matrix_kernels.compiles_elsewhere(self.source, self.entry["name"], self.modules_beside()):
            return None
        return matrix_kernels.chosen(os.environ.get("TRITON_CACHE_DIR", ""))

    def why_refused(self, error):
        """Why an error of a call means that the candidate cannot be run here, in one line; or None."""
        if self.compiled_late:
            return f"compiles in a measured call: {self.compiled_late}"
        seen = error
        while seen is not None:
            # Triton's interpreter raises its own error for each error in a kernel.
            if isinstance(seen, Unsupported):
                return str(seen)
            if self.limitation is not None and (limitation := self.limitation(seen)):
                return limitation
            if self.is_locked and isinstance(seen, PermissionError) and seen.errno == 1:
                return "compiles in a measured call: starts a program"
            if self.library.is_emulated and isinstance(seen, RuntimeError) and NEEDS_GPU.search(str(seen)):
                place = place_of(error, self.files)
                return f"asks PyTorch for a GPU in a way that the emulated device does not have{place}"
            seen = seen.__cause__ or seen.__context__
        return None
