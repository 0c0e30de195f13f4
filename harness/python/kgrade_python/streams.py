"""Side streams of a candidate. Clock and capture are on the default stream, so work on another stream counts only
once the default stream waits for it. Many programs omit this wait, because they wait for the whole device in the end. A
call does not do so here. Therefore, each change of the current stream, including the change back, makes the new stream
wait for the old one."""

import torch


def join_changes():
    """Makes `with torch.cuda.stream(s)` and torch.cuda.set_stream(s) wait for the work before them. A candidate can
    circumvent this, and then has wrong answers."""
    change = torch.cuda.set_stream

    def set_stream(stream):
        if stream is None:
            return
        before = torch.cuda.current_stream()
        if stream != before and stream.device == before.device:
            stream.wait_stream(before)
        change(stream)

    torch.cuda.set_stream = set_stream
    # In newer versions a stream is itself a context manager, in C++.
    if hasattr(torch.cuda.Stream, "__enter__"):
        torch.cuda.Stream.__enter__, torch.cuda.Stream.__exit__ = _enter, _exit


def to_default():
    """Makes the default stream current again after a call that has left another stream current."""
    if torch._C._cuda_getCurrentRawStream(0) != 0:
        torch.cuda.set_stream(torch.cuda.default_stream())


def _enter(stream):
    context = torch.cuda.StreamContext(stream)
    context.__enter__()
    _contexts(stream).append(context)
    return stream


def _exit(stream, *error):
    _contexts(stream).pop().__exit__(*error)


def _contexts(stream):
    """The open contexts of one stream."""
    if not hasattr(stream, "kgrade_contexts"):
        stream.kgrade_contexts = []
    return stream.kgrade_contexts
