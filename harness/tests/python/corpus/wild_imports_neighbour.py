# expect: problem=conv-standard-1d cases=tiny,plain verdict=unsupported message="'function_returns.py' is a candidate itself"
# Other candidates of the folder are not there.
from function_returns import solution  # noqa: F401
