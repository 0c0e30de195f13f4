# expect: problem=conv-standard-1d cases=tiny,plain verdict=unsupported message="needs the package"
# A submission is one file.
from function_returns import solution  # noqa: F401
