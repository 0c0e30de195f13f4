"""What runs inside the sandboxed interpreter: candidates in Python are examined, loaded and called here.

Nothing here is trusted: a candidate shares the process, and can replace any of it. The referee believes what it sees in
the outputs.
"""
