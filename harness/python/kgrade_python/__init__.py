"""The code inside the sandboxed interpreter: it examines, loads and calls candidates in Python.

Nothing here is trusted: a candidate shares the process, and can replace any of it. The referee believes only the
outputs.
"""
