"""`python -m kgrade` is the command `kgrade`."""

from kgrade._program import main

main()
