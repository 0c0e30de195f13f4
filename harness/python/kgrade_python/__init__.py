"""The code inside the sandboxed interpreter: it examines, loads and calls candidates in Python.

Start with serving.py (the calls from C++) and contestant.py. Weights: module_state.build() finds a tensor for each
weight and copies its value (helpers: initial_values, derived_weights, drawn_tensors). Files in KernelBench's form:
module_file, module_description, module_run. The emulated device: emulated_*. Extensions in C++: extension*.

Nothing here is trusted: a candidate shares the process, and can replace any of it. The referee believes only the
outputs.
"""
