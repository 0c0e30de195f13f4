"""Readers of problems from public sets, one module per set. harness/problem/set_files.cc ends the text of such a problem
with a call of define(namespace, text) of one of these modules. The namespace is that of the set's own Python file, which
has run. `text` is a JSON object with the `name` of the problem and its other `files`, {name: text}. define() adds
`CASES`, `Model`, `get_inputs` and `get_init_inputs` to the namespace. It raises FileError, with a remedy, for a file that
is not as its set says. Lines in `NOTES` become notes of the problem."""
